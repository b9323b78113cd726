package dbtest

import (
	"os"
	"testing"
)

// serverURL is the URL of a database on the PostgreSQL server that tests use, with a user who may create databases.
func serverURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv("FLORIN_TEST_DATABASE_URL")
	if server == "" {
		t.Fatal("no test server: set FLORIN_TEST_DATABASE_URL to a PostgreSQL whose user may create databases, " +
			"such as postgres://postgres@127.0.0.1:5432/postgres")
	}
	return server
}
