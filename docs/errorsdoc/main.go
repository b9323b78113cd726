// Errorsdoc writes docs/errors.md: the codes of package fault, and whether the node or `florin test` raises them. Run
// it in the root of the repository: `go run ./docs/errorsdoc`, or `make generate`.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const documentPath = "docs/errors.md"

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "errorsdoc: "+err.Error())
		os.Exit(1)
	}
}

func run(root string) error {
	document, err := write(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, documentPath), []byte(document), 0o600)
}
