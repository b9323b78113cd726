package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/internal/secret"
)

// secretsOnce refuses a secret that is given twice, as a value and as a file: by flags, the environment or the settings
// file.
func secretsOnce(parsed *kong.Context) error {
	given := map[string]*kong.Flag{}
	for _, flag := range parsed.Flags() {
		if text, isText := parsed.FlagValue(flag).(string); isText && text != "" {
			given[flag.Name] = flag
		}
	}
	for _, flag := range parsed.Flags() {
		file := given[flag.Name+secret.FileSuffix]
		if given[flag.Name] == nil || file == nil {
			continue
		}
		return console.Fail(console.ExitUsage, fmt.Sprintf("the environment variables %s and %s count, too; "+
			"`%s --help-all` lists the settings", flag.Envs[0], file.Envs[0], strings.TrimSpace(parsed.Selected().FullPath())),
			"--%s and --%s are both given: choose one", flag.Name, file.Name)
	}
	return nil
}
