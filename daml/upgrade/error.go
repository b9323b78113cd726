package upgrade

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
)

// Error is the reason why a package cannot follow another.
type Error struct {
	Rule Rule
	// Older and Newer are the names and versions of the packages.
	Older, Newer string
	Module       string
	Definition   string
	// Problem is a clause about the newer version.
	Problem string
	// Past and Present are types in Daml's notation, if the problem is that a type differs.
	Past, Present string
}

// Error has the problem and its place.
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

// fault makes the refusal. Clients get 512 bytes of its text; the context has the rest.
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
