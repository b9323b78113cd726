package testenv

import (
	"context"
	"os"
	"sync"
)

// T is the needed part of *testing.T.
type T interface {
	Helper()
	Context() context.Context
	Fatalf(format string, arguments ...any)
}

// shared holds the servers of this test process, which the first test starts. They end with the process: on Linux by
// the kernel; elsewhere the next test process cleans up.
var shared struct {
	mu          sync.Mutex
	environment *Environment
}

// Postgres returns the URL of a PostgreSQL server with a role that may create databases: from the environment, or this
// process's own.
func Postgres(t T) string {
	t.Helper()
	if url := os.Getenv(DatabaseVariable); url != "" {
		return url
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if err := ensurePostgres(t.Context()); err != nil {
		t.Fatalf("start a PostgreSQL for tests: %v", err)
		return ""
	}
	return shared.environment.database.URL("postgres")
}

// Temporal returns the address of a Temporal server whose namespace default has the search attributes: from the
// environment, or this process's own, which needs a florin binary.
func Temporal(t T, searchAttributes map[string]string) string {
	t.Helper()
	if address := os.Getenv(TemporalVariable); address != "" {
		return address
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if err := ensureTemporal(t.Context(), searchAttributes); err != nil {
		t.Fatalf("start a Temporal server for tests: %v", err)
		return ""
	}
	return shared.environment.temporal.Frontend()
}

func ensurePostgres(ctx context.Context) (err error) {
	if shared.environment == nil {
		shared.environment, err = startPostgres(ctx, Options{})
	}
	return err
}

func ensureTemporal(ctx context.Context, searchAttributes map[string]string) error {
	if err := ensurePostgres(ctx); err != nil || shared.environment.temporal != nil {
		return err
	}
	executable, err := Binary(ctx)
	if err != nil {
		return err
	}
	return shared.environment.startTemporal(ctx, Options{Executable: executable, SearchAttributes: searchAttributes})
}
