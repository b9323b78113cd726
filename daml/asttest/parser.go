package asttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// PackageID is the id of packages whose text has no other.
const PackageID lf.PackageID = "test"

// Package reads a package, in version 2.3 of the language.
func Package(tb testing.TB, source string) *ast.Package {
	tb.Helper()
	out, err := Parse(PackageID, ast.V2_3, source)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// Parse reads a package. References without a package id are to the package itself.
func Parse(id lf.PackageID, version ast.LanguageVersion, source string) (*ast.Package, error) {
	list, err := tokens(source)
	if err != nil {
		return nil, err
	}
	p := &parser{source: source, tokens: list, self: id, dependencies: map[lf.PackageID]bool{}}
	out := &ast.Package{ID: id, Version: version, Name: "test", Release: "1.0.0"}
	if p.skip("metadata") {
		p.want("(")
		out.Name = p.next().text
		p.want(":")
		out.Release = p.next().text
		p.want(")")
	}
	for p.err == nil && p.peek().kind != end {
		out.Modules = append(out.Modules, p.module())
	}
	if p.err != nil {
		return nil, p.err
	}
	for dependency := range p.dependencies {
		out.Dependencies = append(out.Dependencies, dependency)
	}
	slices.Sort(out.Dependencies)
	return out, out.Index()
}

// parser reads tokens one after another, and keeps the first error.
type parser struct {
	source       string
	tokens       []token
	self         lf.PackageID
	dependencies map[lf.PackageID]bool
	err          error
}

func (p *parser) peek() token { return p.tokens[0] }

// ahead returns a token further on.
func (p *parser) ahead(n int) token { return p.tokens[min(n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) fail(expected string) {
	if p.err == nil {
		next := p.peek()
		p.err = fmt.Errorf("line %d: %s expected, not %q", line(p.source, next.at), expected, next.text)
	}
	p.tokens = p.tokens[len(p.tokens)-1:]
}

// is reports whether the next token is a symbol or word.
func (p *parser) is(text string) bool { return isWord(p.peek(), text) }

func isWord(t token, text string) bool { return (t.kind == symbol || t.kind == name) && t.text == text }

// skip skips a symbol or word and reports whether it was next.
func (p *parser) skip(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) want(text string) {
	if !p.skip(text) {
		p.fail(text)
	}
}

func (p *parser) name() string {
	if p.peek().kind != name {
		p.fail("a name")
		return ""
	}
	return p.next().text
}

func (p *parser) dotted() string {
	segments := []string{p.name()}
	for p.is(".") && p.ahead(1).kind == name {
		p.next()
		segments = append(segments, p.name())
	}
	return strings.Join(segments, ".")
}

// atFullName reports whether a full name is next: ['package':]Module:name.
func (p *parser) atFullName() bool {
	if p.peek().kind == quoted {
		return true
	}
	i := 0
	for p.ahead(i).kind == name && isWord(p.ahead(i+1), ".") {
		i += 2
	}
	return p.ahead(i).kind == name && isWord(p.ahead(i+1), ":")
}

func (p *parser) fullName() lf.TypeName {
	out := lf.TypeName{Package: p.self}
	if p.peek().kind == quoted {
		out.Package = lf.PackageID(p.next().text)
		if out.Package != p.self {
			p.dependencies[out.Package] = true
		}
		p.want(":")
	}
	out.Module = p.dotted()
	p.want(":")
	out.Entity = p.dotted()
	return out
}

// separated reads elements with a separator between them, until a token that closes the list.
func separated[T any](p *parser, separator, closing string, read func() T) []T {
	var out []T
	for p.err == nil && !p.is(closing) {
		out = append(out, read())
		if !p.skip(separator) {
			break
		}
	}
	p.want(closing)
	return out
}
