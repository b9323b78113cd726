//go:build !linux

package main

import "os"

// createUnnamed creates a file at the path: other systems have no files without a name.
func createUnnamed(path string) (file *os.File, name func() error, err error) {
	return createNamed(path)
}
