package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints what makes a shell complete commands and flags.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish. For bash: source <(florin completion bash)"`
}

// completionScripts ask the program itself what may come next, so that they stay right when it changes.
var completionScripts = map[string]string{
	"bash": `_florin() {
  local found
  found=$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _florin florin`,
	"zsh": `#compdef florin
_florin() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found
}
compdef _florin florin`,
	"fish": `complete -c florin -f -a '(florin __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

// Run prints the script.
func (c *completionCommand) Run() error {
	_, err := fmt.Println(completionScripts[c.Shell])
	return err
}

// completeCommand is what the scripts ask.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"What is typed so far behind the program's name; the last word is being typed."`
}

// Run prints what the last word may become, one on each line.
func (c *completeCommand) Run(parsed *kong.Context) error {
	found := completions(parsed.Model.Node, c.Words)
	if len(found) == 0 {
		return nil
	}
	_, err := fmt.Println(strings.Join(found, "\n"))
	return err
}

// completions are the commands, or flags, that the last word may become.
func completions(node *kong.Node, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	typed, last := words[:len(words)-1], words[len(words)-1]
	for _, word := range typed {
		at := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == word && !child.Hidden })
		if at >= 0 {
			node = node.Children[at]
		}
	}
	names := commandNames(node)
	if strings.HasPrefix(last, "-") {
		names = flagNames(node)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, last) })
}
