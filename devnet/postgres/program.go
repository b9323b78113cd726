package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program finds a program of PostgreSQL, such as pg_dump: of a major version, or of the nearest newer one, which
// understands older servers. The error names the package to install.
func Program(ctx context.Context, name string, major int) (string, error) {
	directories := usualDirectories()
	if path, err := exec.LookPath(name); err == nil {
		directories = append([]string{filepath.Dir(path)}, directories...)
	}
	best, bestMajor := "", 0
	for _, directory := range directories {
		path := filepath.Join(directory, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		output, err := exec.CommandContext(ctx, path, "--version").Output()
		if ctx.Err() != nil {
			return "", fmt.Errorf("looking for %s: %w", name, ctx.Err()) // the context ended; the program may exist
		}
		if err != nil {
			continue
		}
		found := majorOf(string(output))
		if found == major {
			return path, nil
		}
		if found > major && (best == "" || found < bestMajor) {
			best, bestMajor = path, found
		}
	}
	if best == "" {
		return "", fmt.Errorf("this machine has no %s of PostgreSQL %d or newer: install the package postgresql-client-%d, "+
			"or run this on the machine of the database", name, major, major)
	}
	return best, nil
}
