package check

import (
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func (c *checker) show(t ast.Type) string { return ast.Notation(t, nil) }

// showBoth prints two different types differently: with packages in front of names if necessary.
func (c *checker) showBoth(expected, found ast.Type) (string, string) {
	if a, b := c.show(expected), c.show(found); a != b {
		return a, b
	}
	return ast.Notation(expected, c.packages), ast.Notation(found, c.packages)
}

func (c *checker) showName(name lf.TypeName) string { return ast.NameNotation(name) }

func (c *checker) showKind(kind ast.Kind) string { return ast.KindNotation(kind) }
