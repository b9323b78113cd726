package upgrade

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/fault"
)

// Error is why a package cannot follow another.
type Error struct {
	Rule Rule
	// Older and Newer are the names, versions and ids of the packages.
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
	fmt.Fprintf(&out, "Package %s cannot be a newer version of package %s", e.Newer, e.Older)
	if e.Module != "" {
		fmt.Fprintf(&out, ", module %s", fault.Shorten(e.Module))
	}
	if e.Definition != "" {
		fmt.Fprintf(&out, ", %s", fault.Shorten(e.Definition))
	}
	fmt.Fprintf(&out, ": %s", e.Problem)
	if e.Past != "" {
		fmt.Fprintf(&out, ": it was %s and is %s", e.Past, e.Present)
	}
	fmt.Fprintf(&out, " (rule %s)", e.Rule)
	return out.String()
}

func (e *Error) fault() error {
	return fault.NotValidUpgradePackage.New("%s", e.Error()).With("rule", string(e.Rule)).
		With("older_package", e.Older).With("newer_package", e.Newer).Wrap(e)
}

func (c *checker) fail(rule Rule, problem string, args ...any) {
	if c.failure == nil {
		c.failure = &Error{
			Rule: rule, Older: describe(c.past), Newer: describe(c.present), Module: c.module,
			Definition: c.definition, Problem: fmt.Sprintf(problem, args...),
		}
	}
}

func describe(p *ast.Package) string {
	return p.Name + " " + p.Release + " (" + fault.Shorten(string(p.ID)) + ")"
}
