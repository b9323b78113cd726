package remote

import (
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
)

// DefaultDataDir is where commands look for a node when nothing else is said.
const DefaultDataDir = ".florin"

// Florin is a command line in a hint: of a command that finds a node as this one did, by the flags that were given.
// What the environment says need not be repeated.
func (n Node) Florin(words ...string) string {
	switch n.URL {
	case "":
		return OnData(n.DataDir, words...)
	case os.Getenv("FLORIN_URL"):
		return OnData("", words...)
	default:
		return OnData("", append(words, "--url", n.URL)...)
	}
}

// OnData is a command line in a hint: of a command on a data directory, as it was given; "" for a command on none.
// Where the environment names another node, the directory has to be on the command line.
func OnData(dataDir string, words ...string) string {
	isOther := os.Getenv("FLORIN_URL") != "" || os.Getenv("FLORIN_DATABASE_URL") != ""
	if dataDir != "" && (isOther || dataDir != DefaultDataDir && dataDir != os.Getenv("FLORIN_DATA_DIR")) {
		words = append(words, "--data-dir", dataDir)
	}
	return "`" + console.CommandLine(append([]string{"florin"}, words...)...) + "`"
}
