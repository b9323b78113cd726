package main

import (
	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/secret"
)

// databaseSettings say which PostgreSQL holds the record. Every command that reaches it takes them.
type databaseSettings struct {
	DatabaseURL     string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." env:"FLORIN_DATABASE_URL" secret:""`
	DatabaseURLFile string `name:"database-url-file" help:"File that holds that URL; nodes read its user and password again on SIGHUP." env:"FLORIN_DATABASE_URL_FILE"`
}

// named reports whether a database was named at all.
func (s databaseSettings) named() bool { return s.DatabaseURL != "" || s.DatabaseURLFile != "" }

// url is where the database is, "" if none was named.
func (s databaseSettings) url() (string, error) {
	return secret.Of(s.DatabaseURL, s.DatabaseURLFile, "database-url")
}

// howGiven names by which flag or variable a secret or its file was given; "" if it was not.
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
