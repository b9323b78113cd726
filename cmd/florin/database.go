package main

import (
	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/internal/secret"
)

// howGiven names the flag or variable that gave a secret or its file; "" for none.
func howGiven(parsed *kong.Context, name string) string {
	onLine := onCommandLine(parsed)
	for _, flag := range parsed.Flags() {
		text, isText := parsed.FlagValue(flag).(string)
		switch {
		case !isText || text == "" || flag.Name != name && flag.Name != name+secret.FileSuffix:
		case onLine[flag.Name] && flag.Name == name:
			return " (--" + name + ")"
		case onLine[flag.Name]:
			return " (--" + flag.Name + "=" + text + ")"
		case flag.Name == name:
			return " (" + flag.Envs[0] + ")"
		default:
			return " (" + flag.Envs[0] + "=" + text + ")"
		}
	}
	return ""
}
