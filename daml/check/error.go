package check

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Error is what is wrong with a package.
type Error struct {
	// Rule is the rule of the specification that is broken.
	Rule    Rule
	Package lf.PackageID
	// Release is the name and version of the package.
	Release string
	// Module and Definition say where; Definition may be empty, and Location too.
	Module     string
	Definition string
	Location   ast.Location
	// Problem is a sentence without its full stop.
	Problem string
	// Expected and Found are types in Daml's notation; empty when the problem is not that two types differ.
	Expected, Found string
}

// Error says what is wrong and where.
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

// fail notes that a rule is broken, where the check is.
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

// mismatch notes that something is not of the type that a rule asks for.
func (c *checker) mismatch(rule Rule, what string, expected, found string) {
	if c.failure != nil {
		return
	}
	c.fail(rule, "%s", what)
	c.failure.Expected, c.failure.Found = expected, found
}
