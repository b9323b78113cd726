package archive

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// decoder turns the messages of one package into its tree. It keeps the first error, which ends every loop and
// recursion; results after it have no meaning.
type decoder struct {
	self    lf.PackageID
	version ast.LanguageVersion
	nodes   share
	err     error

	strings     []string
	identifiers []bool // strings that passed isIdentifier
	dottedNames []string
	imports     []lf.PackageID
	hasImports  bool
	kinds       []tableEntry[ast.Kind]
	types       []tableEntry[ast.Type]
	exprs       []*archivepb.Expr
	dependOn    map[lf.PackageID]bool

	// The place of the decoder.
	module       string
	moduleNumber int32
	exprEntries  []exprEntry // entries of exprs, decoded for this module
	exprLimit    int32       // references go to interned expressions below it
	depth        int
	deepest      int   // the largest depth so far
	size         int64 // number of nodes so far
}

// tableEntry is an entry of a table, with the size and height of its tree.
type tableEntry[T any] struct {
	tree   T
	size   int64
	height int
}

// exprEntry is an interned expression, decoded for one module: locations without a module name are in that module.
type exprEntry struct {
	tableEntry[ast.Expr]
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

// enter goes one level deeper into a tree; leave comes back. Decoding ends at the depth limit.
func (d *decoder) enter() bool {
	d.depth++
	d.meet(1, 0)
	return d.err == nil
}

func (d *decoder) leave() { d.depth-- }

// meet counts a tree of this size and height at the current place.
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

// measureTree decodes a tree and measures it.
func measureTree[T any](d *decoder, decode func() T) tableEntry[T] {
	size, deepest := d.size, d.deepest
	d.deepest = d.depth
	tree := decode()
	out := tableEntry[T]{tree: tree, size: d.size - size, height: d.deepest - d.depth}
	d.deepest = max(deepest, d.deepest)
	return out
}

// again returns a tree that was decoded before, and counts it at this place too.
func again[T any](d *decoder, entry tableEntry[T]) T {
	d.meet(entry.size, entry.height)
	return entry.tree
}

// since fails when the package's version is older than the feature.
func (d *decoder) since(version ast.LanguageVersion, feature string) {
	if d.version < version {
		d.fail("%s is not in Daml-LF %s, it needs %s or newer", feature, d.version, version)
	}
}

// flat reports whether trees of this version refer to tables; older ones are nested.
func (d *decoder) flat() bool { return d.version >= ast.V2_2 }

// nonEmpty fails when a list is empty.
func nonEmpty[T any](d *decoder, list []T, what string) {
	if len(list) == 0 {
		d.fail("%s has no elements", what)
	}
}

// single fails unless a list has exactly one element. Versions without tables allow several.
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
