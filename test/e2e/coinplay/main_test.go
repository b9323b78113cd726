package coinplay_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// sequences is how many are played when the command line does not say: each move is a transaction of PostgreSQL, so
// there are fewer than of those that are played in memory.
const sequences = "30"

func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", sequences); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
