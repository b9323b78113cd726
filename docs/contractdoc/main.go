// Command contractdoc writes docs/contract.md: every statement of the contract with the tests that hold it. The
// statements are in docs/contract/statements.txt; a test says in a line of its doc comment which of them it holds:
//
//	// contract: completions-limit, completions-413
//
// With -check the program reports whether the page is up to date instead. It always fails when a statement has no test,
// or a test names a statement that does not exist. Run it in the root of the repository.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "compare instead of writing")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "contractdoc: "+err.Error())
		os.Exit(1)
	}
}
