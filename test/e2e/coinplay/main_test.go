package coinplay_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// sequences is the default number of sequences. Each move is a transaction of PostgreSQL, so there are fewer than in
// tests in memory.
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
