package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
)

// completionCommand prints a script that makes a shell complete commands, flags and names of parties.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish. For bash: source <(florin completion bash)"`
}

// completionScripts ask the program for the next words, so that a new version needs no new script.
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
	_, err := fmt.Fprintln(os.Stdout, completionScripts[c.Shell])
	return err
}

// completeCommand answers the scripts.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"Words after the program's name; the last one is not complete yet."`
}

// nameTimeout limits the wait for the names of a node after the tab key.
const nameTimeout = 2 * time.Second

// Run prints the completions of the last word, one on each line. Names of parties come from the node that the flags and
// the environment name, if it answers.
func (c *completeCommand) Run(ctx context.Context, parsed *kong.Context) error {
	limited, cancel := context.WithTimeout(ctx, nameTimeout)
	defer cancel()
	found := completions(parsed.Model.Node, c.Words, func(node remote.Node) []string { return node.Names(limited) })
	if len(found) == 0 {
		return nil
	}
	console.Println(strings.Join(found, "\n"))
	return nil
}

// completions are the commands, flags, words or names that the last word may become.
func completions(node *kong.Node, words []string, names func(remote.Node) []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	at, last := readTyped(node, words[:len(words)-1]), words[len(words)-1]
	var found []string
	switch {
	case at.flag != nil:
		found = at.values(at.flag.Value, names)
	case strings.HasPrefix(last, "-"):
		found = flagNames(at.node)
	default:
		found = commandNames(at.node)
		if argument := at.argument(); argument != nil {
			found = append(found, at.values(argument, names)...)
		}
	}
	return slices.DeleteFunc(found, func(name string) bool { return !strings.HasPrefix(name, last) })
}

// typedCommand is the command line before the word that is being completed.
type typedCommand struct {
	node *kong.Node
	// arguments is how many arguments of the command are typed already.
	arguments int
	// flag is the one whose value comes next; nil for none.
	flag *kong.Flag
	// given are the flags with values.
	given map[string]string
}

// readTyped reads words behind the program's name. It ignores words that make no sense.
func readTyped(node *kong.Node, words []string) typedCommand {
	at := typedCommand{node: node, given: map[string]string{}}
	for _, word := range words {
		switch {
		case at.flag != nil:
			at.given[at.flag.Name], at.flag = word, nil
		case strings.HasPrefix(word, "-"):
			name, value, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if flag := at.flagCalled(name); flag != nil && valued {
				at.given[flag.Name] = value
			} else if flag != nil && !flag.IsBool() {
				at.flag = flag
			}
		default:
			child := slices.IndexFunc(at.node.Children, func(one *kong.Node) bool { return one.Name == word && !one.Hidden })
			if child < 0 {
				at.arguments++
				continue
			}
			at.node = at.node.Children[child]
		}
	}
	return at
}

func (t typedCommand) flagCalled(name string) *kong.Flag {
	for _, flags := range t.node.AllFlags(true) {
		for _, flag := range flags {
			if flag.Name == name || len(name) == 1 && string(flag.Short) == name {
				return flag
			}
		}
	}
	return nil
}

// argument returns the argument that the user types; nil if the command takes no more.
func (t typedCommand) argument() *kong.Value {
	node := t.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	if t.arguments < len(node.Positional) {
		return node.Positional[t.arguments]
	}
	if last := len(node.Positional) - 1; last >= 0 && node.Positional[last].IsCumulative() {
		return node.Positional[last]
	}
	return nil
}

// values are the possible values of an argument or a flag.
func (t typedCommand) values(of *kong.Value, names func(remote.Node) []string) []string {
	if of.Tag.Get("complete") == "name" {
		return names(remote.Node{
			DataDir: t.value("data-dir"), URL: t.value("url"), Token: t.value("token"), TokenFile: t.value("token-file"),
			AuthSecret: t.value("auth-secret"), AuthSecretFile: t.value("auth-secret-file"),
			AuthAudience: t.value("auth-audience"), AdminUser: t.value("admin-user"),
		})
	}
	if of.Enum == "" {
		return nil
	}
	return slices.Sorted(maps.Keys(of.EnumMap()))
}

// value returns the value of a flag: the typed one, that of the environment, or the default.
func (t typedCommand) value(name string) string {
	if value, given := t.given[name]; given {
		return value
	}
	flag := t.flagCalled(name)
	if flag == nil {
		return ""
	}
	for _, variable := range flag.Envs {
		if value, set := os.LookupEnv(variable); set {
			return value
		}
	}
	return flag.Default
}
