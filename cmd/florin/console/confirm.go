package console

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// Confirm asks a question on the terminal, and reports whether the answer is yes. Without a terminal the answer is no.
func Confirm(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	Printf("%s Write yes: ", question)
	var answer string
	_, err := fmt.Scanln(&answer)
	return err == nil && answer == "yes"
}
