package node

import "github.com/florinledger/florin/internal/secret"

// DatabaseSettings name the PostgreSQL database of the record. All commands that use it have these flags.
type DatabaseSettings struct {
	DatabaseURL     string `help:"PostgreSQL of the record: postgres://user:password@host:port/database." env:"FLORIN_DATABASE_URL" secret:"" common:""`
	DatabaseURLFile string `name:"database-url-file" help:"File that holds that URL; nodes read its user and password again on SIGHUP." env:"FLORIN_DATABASE_URL_FILE" common:""`
}

// Named reports whether the settings name a database.
func (s DatabaseSettings) Named() bool { return s.DatabaseURL != "" || s.DatabaseURLFile != "" }

// URL returns the URL of the database, "" without one.
func (s DatabaseSettings) URL() (string, error) {
	return secret.Of(s.DatabaseURL, s.DatabaseURLFile, "database-url")
}
