package remote

import (
	"os"

	"github.com/florinledger/florin/cmd/florin/console"
)

// DefaultDataDir is the default data directory.
const DefaultDataDir = ".florin"

// Florin is a command line for a hint. It names the node by the same flags as this command; the environment names it
// anyway.
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

// OnData is a command line for a hint, with a data directory, or with none for "". If the environment names another
// node, the directory must be on the command line.
func OnData(dataDir string, words ...string) string {
	isOther := os.Getenv("FLORIN_URL") != "" || os.Getenv("FLORIN_DATABASE_URL") != ""
	if dataDir != "" && (isOther || dataDir != DefaultDataDir && dataDir != os.Getenv("FLORIN_DATA_DIR")) {
		words = append(words, "--data-dir", dataDir)
	}
	return "`" + console.CommandLine(append([]string{"florin"}, words...)...) + "`"
}
