// Command contractdoc writes docs/contract.md: every statement of the contract with the tests that check it. The
// statements are in docs/contract/statements.txt. The last line of a test's doc comment names those that it checks:
//
//	// contract: completions-limit, completions-413
//
// With -check the program only reports whether the page is up to date. It fails when a statement has no test, or a test
// names an unknown statement. Run it in the root of the repository.
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
