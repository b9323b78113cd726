package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/internal/secret"
)

// dataDirFlag names a node of this machine, and otherPlaces are the flags that name another one, or its record.
const dataDirFlag = "data-dir"

var otherPlaces = []string{"url", "database-url", "database-url" + secret.FileSuffix}

// onePlace lets a data directory on the command line win over a node in the environment, which florin env sets. It
// refuses a data directory together with a flag that names another node, because it cannot know which one the user
// means.
func onePlace(parsed *kong.Context) error {
	onLine := onCommandLine(parsed)
	if !onLine[dataDirFlag] {
		return nil
	}
	for _, flag := range parsed.Flags() {
		for _, other := range otherPlaces {
			if flag.Name != other {
				continue
			}
			if onLine[other] {
				return console.Fail(console.ExitUsage, fmt.Sprintf("leave one out: --%s is for a node of florin up on this "+
					"machine, --%s for any other", dataDirFlag, other), "--%s and --%s are both given: choose one", dataDirFlag, other)
			}
			flag.Target.SetZero()
		}
	}
	return nil
}

// onCommandLine are the names of the flags on the command line, without those of the environment and of files.
func onCommandLine(parsed *kong.Context) map[string]bool {
	onLine := map[string]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			onLine[step.Flag.Name] = true
		}
	}
	return onLine
}
