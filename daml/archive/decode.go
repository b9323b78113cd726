package archive

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// decoder turns the messages of one package into its tree. The first error sticks: what is decoded after it has no
// meaning, and every loop and recursion ends at it.
type decoder struct {
	self    lf.PackageID
	version ast.LanguageVersion
	nodes   share
	err     error

	strings     []string
	identifiers []bool // strings that are known to be identifiers
	dottedNames []string
	imports     []lf.PackageID
	hasImports  bool
	kinds       []measured[ast.Kind]
	types       []measured[ast.Type]
	exprs       []*archivepb.Expr
	dependOn    map[lf.PackageID]bool

	// What follows is about the place that is being decoded.
	module       string
	moduleNumber int32
	decoded      []decodedExpr // exprs as far as they are decoded for this module
	exprLimit    int32         // interned expressions below it may be referred to
	depth        int           // how deep the place is
	deepest      int           // the deepest place met
	size         int64         // how many nodes were met
}

// measured is an entry of a table of kinds or types, with what a walk over it meets.
type measured[T any] struct {
	tree   T
	size   int64
	height int
}

// decodedExpr is an interned expression as it is in one module: locations in it are in that module where they name no
// other.
type decodedExpr struct {
	measured[ast.Expr]
	module int32
}

func decodePackage(id lf.PackageID, version ast.LanguageVersion, message *archivepb.Package, nodes *budget) (
	*ast.Package, error,
) {
	d := &decoder{self: id, version: version, nodes: share{of: nodes}, dependOn: map[lf.PackageID]bool{}}
	defer d.nodes.giveBack()
	d.readTables(message)
	out := &ast.Package{ID: id, Version: version}
	d.readMetadata(message.GetMetadata(), out)
	for _, module := range message.GetModules() {
		if d.err != nil {
			break
		}
		out.Modules = append(out.Modules, d.readModule(module))
	}
	if d.err != nil {
		return nil, d.err
	}
	for dependency := range d.dependOn {
		out.Dependencies = append(out.Dependencies, dependency)
	}
	slices.SortFunc(out.Dependencies, cmp.Compare)
	return out, out.Index()
}

func (d *decoder) fail(format string, args ...any) {
	d.failWith(fmt.Errorf(format, args...))
}

func (d *decoder) failWith(err error) {
	if d.err == nil {
		d.err = err
	}
}

// enter goes one level deeper into a tree; leave comes back. Decoding is abandoned where trees are nested too deep.
func (d *decoder) enter() bool {
	d.depth++
	d.meet(1, 0)
	return d.err == nil
}

func (d *decoder) leave() { d.depth-- }

// meet counts a tree of a size and height as met at this place.
func (d *decoder) meet(size int64, height int) {
	d.size += size
	d.deepest = max(d.deepest, d.depth+height)
	if d.deepest > ast.MaxDepth {
		d.fail("expressions are nested deeper than %d", ast.MaxDepth)
	}
	if !d.nodes.take(size) {
		d.failWith(errNodes)
	}
}

// measureTree decodes something and says what a walk over it meets.
func measureTree[T any](d *decoder, decode func() T) measured[T] {
	size, deepest := d.size, d.deepest
	d.deepest = d.depth
	tree := decode()
	out := measured[T]{tree: tree, size: d.size - size, height: d.deepest - d.depth}
	d.deepest = max(deepest, d.deepest)
	return out
}

// again counts a tree that was decoded before as met at this place, and returns it.
func again[T any](d *decoder, entry measured[T]) T {
	d.meet(entry.size, entry.height)
	return entry.tree
}

// since fails when the version is older than the one that a feature came with.
func (d *decoder) since(version ast.LanguageVersion, feature string) {
	if d.version < version {
		d.fail("%s is not in Daml-LF %s, it needs %s or newer", feature, d.version, version)
	}
}

// flat reports whether trees of this version refer to tables where older ones are nested.
func (d *decoder) flat() bool { return d.version >= ast.V2_2 }

// nonEmpty fails when a list that the language wants at least one element of is empty.
func nonEmpty[T any](d *decoder, list []T, what string) {
	if len(list) == 0 {
		d.fail("%s has no elements", what)
	}
}

// single fails when a list has not exactly one element, as versions with tables want it.
func single[T any](d *decoder, list []T, what string) {
	nonEmpty(d, list, what)
	if d.flat() && len(list) > 1 {
		d.fail("%s has %d elements, and Daml-LF %s allows only one", what, len(list), d.version)
	}
}

// each decodes the elements of a list.
func each[M, T any](d *decoder, list []M, decode func(M) T) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, 0, len(list))
	for _, message := range list {
		if d.err != nil {
			break
		}
		out = append(out, decode(message))
	}
	return out
}
