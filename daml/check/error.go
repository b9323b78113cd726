package check

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Error is a rule that a package breaks.
type Error struct {
	// Rule is the rule of the specification.
	Rule    Rule
	Package lf.PackageID
	// Release is the name and version of the package.
	Release string
	// Module, Definition and Location are the place; Definition and Location may be empty.
	Module     string
	Definition string
	Location   ast.Location
	// Problem is a sentence without its full stop.
	Problem string
	// Expected and Found are types in Daml's notation, if the problem is that two types differ.
	Expected, Found string
}

// Error has the problem and its place.
func (e *Error) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Package %s (%s)", e.Release, fault.Shorten(string(e.Package)))
	if e.Module != "" {
		fmt.Fprintf(&out, ", module %s", fault.Shorten(e.Module))
	}
	if e.Definition != "" {
		fmt.Fprintf(&out, ", %s", e.Definition)
	}
	if !e.Location.IsZero() {
		fmt.Fprintf(&out, ", at %s", e.Location)
	}
	fmt.Fprintf(&out, ": %s", e.Problem)
	if e.Expected != "" {
		fmt.Fprintf(&out, ": expected %s, found %s", fault.Shorten(e.Expected), fault.Shorten(e.Found))
	}
	fmt.Fprintf(&out, " (rule %s)", e.Rule)
	return out.String()
}

func (e *Error) fault() error {
	out := fault.DARValidationError.New("%s", e.Error()).
		With("package_id", string(e.Package)).With("rule", string(e.Rule)).Wrap(e)
	for key, value := range map[string]string{
		"module": e.Module, "definition": e.Definition, "expected": e.Expected, "found": e.Found,
	} {
		if value != "" {
			out = out.With(key, value)
		}
	}
	if !e.Location.IsZero() {
		out = out.With("location", e.Location.String())
	}
	return out
}

// fail records that the package breaks a rule at the current place.
func (c *checker) fail(rule Rule, problem string, args ...any) {
	if c.failure != nil {
		return
	}
	c.failure = &Error{
		Rule: rule, Package: c.pkg.ID, Release: releaseOf(c.pkg), Module: c.module, Definition: c.definition,
		Location: c.location, Problem: fmt.Sprintf(problem, args...),
	}
}

func releaseOf(p *ast.Package) string { return p.Name + " " + p.Release }

// mismatch records that a type differs from the one that a rule expects.
func (c *checker) mismatch(rule Rule, what string, expected, found string) {
	if c.failure != nil {
		return
	}
	c.fail(rule, "%s", what)
	c.failure.Expected, c.failure.Found = expected, found
}
