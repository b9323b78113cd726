package upgrade

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// Error is why a package cannot follow another.
type Error struct {
	Rule Rule
	// Older and Newer are the names and versions of the packages.
	Older, Newer string
	Module       string
	Definition   string
	// Problem is a clause: what the newer version does.
	Problem string
	// Past and Present are types in Daml's notation; empty when the problem is not that a type differs.
	Past, Present string
}

// Error says what is wrong and where.
func (e *Error) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Package %s cannot be a newer version of package %s", fault.Shorten(e.Newer), fault.Shorten(e.Older))
	if e.Module != "" {
		fmt.Fprintf(&out, ", module %s", fault.Shorten(e.Module))
	}
	if e.Definition != "" {
		fmt.Fprintf(&out, ", %s", fault.Shorten(e.Definition))
	}
	fmt.Fprintf(&out, ": %s", e.Problem)
	if e.Past != "" {
		fmt.Fprintf(&out, ": it was %s and is %s", fault.Shorten(e.Past), fault.Shorten(e.Present))
	}
	fmt.Fprintf(&out, " (rule %s)", e.Rule)
	return out.String()
}

// fault is the refusal. Its context has what the text, of which clients get 512 bytes, leaves out.
func (c *checker) fault() error {
	e := c.failure
	out := fault.NotValidUpgradePackage.New("%s", e.Error()).With("rule", string(e.Rule)).
		With("older_package", describe(c.past)).With("newer_package", describe(c.present)).Wrap(e)
	if e.Past != "" {
		out = out.With("older_type", e.Past).With("newer_type", e.Present)
	}
	return out
}

func (c *checker) fail(rule Rule, problem string, args ...any) {
	if c.failure == nil {
		c.failure = &Error{
			Rule: rule, Older: releaseOf(c.past), Newer: releaseOf(c.present), Module: c.module,
			Definition: c.definition, Problem: fmt.Sprintf(problem, args...),
		}
	}
}

func releaseOf(p *ast.Package) string { return p.Name + " " + p.Release }

func describe(p *ast.Package) string { return releaseOf(p) + " (" + fault.Shorten(string(p.ID)) + ")" }
