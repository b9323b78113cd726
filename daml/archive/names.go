package archive

import (
	"regexp"
	"strings"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

const maxNameLength = 1000 // of an identifier, and of a dotted name

var (
	packageIDForm      = regexp.MustCompile(`^[a-zA-Z0-9\-_ ]{1,64}$`)
	packageNameForm    = regexp.MustCompile(`^[a-zA-Z0-9:\-_]{1,255}$`)
	packageReleaseForm = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))*$`)
)

const maxReleaseLength = 255

// isIdentifier reports whether text is an Ident of the specification.
func isIdentifier(text string) bool {
	if text == "" || len(text) > maxNameLength || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '$' {
			return false
		}
	}
	return true
}

// at returns an entry of a table; the zero value when the index is outside.
func at[T any](d *decoder, table []T, index int32, what string) (out T) {
	if index < 0 || int(index) >= len(table) {
		d.fail("%s %d is not in its table, which has %d entries", what, index, len(table))
		return out
	}
	return table[index]
}

func (d *decoder) text(index int32) string { return at(d, d.strings, index, "text") }

// name returns an interned text, which must be an identifier.
func (d *decoder) name(index int32) string {
	text := d.text(index)
	if d.err == nil && !d.identifiers[index] {
		if !isIdentifier(text) {
			d.fail("%q is not an identifier", fault.Shorten(text))
		}
		d.identifiers[index] = true
	}
	return text
}

func (d *decoder) dottedName(index int32) string { return at(d, d.dottedNames, index, "name") }

func (d *decoder) readDottedName(message *archivepb.DottedName) string {
	segments := each(d, message.GetSegmentsStr(), d.name)
	nonEmpty(d, segments, "a name")
	length := len(segments) - 1
	for _, segment := range segments {
		length += len(segment)
	}
	if length > maxNameLength {
		d.fail("a name has %d characters, and the limit is %d", length, maxNameLength)
		return ""
	}
	return strings.Join(segments, ".")
}

func (d *decoder) packageID(text string) lf.PackageID {
	id := lf.PackageID(text)
	if d.err == nil && !d.dependOn[id] && !packageIDForm.MatchString(text) {
		d.fail("%q is not a package id", fault.Shorten(text))
	}
	return id
}

func (d *decoder) packageRef(message *archivepb.PackageRef) lf.PackageID {
	var out lf.PackageID
	switch ref := message.GetSum().(type) {
	case *archivepb.PackageRef_Self:
		return d.self
	case *archivepb.PackageRef_ImportedStr:
		out = d.packageID(d.text(ref.ImportedStr))
		if d.flat() && d.version != ast.V2_dev && !stablePackages[out] {
			d.fail("package %q is not in the table of imports", fault.Shorten(string(out)))
		}
	case *archivepb.PackageRef_ImportIndex:
		if !d.hasImports {
			d.fail("a reference needs the table of imports, and the package has none")
		}
		out = at(d, d.imports, ref.ImportIndex, "import")
	default:
		d.fail("a reference names no package")
	}
	if out != d.self && d.err == nil {
		d.dependOn[out] = true
	}
	return out
}

func (d *decoder) moduleRef(message *archivepb.ModuleRef) (lf.PackageID, string) {
	if message == nil {
		d.fail("a reference names no module")
		return "", ""
	}
	return d.packageRef(message.GetPackage()), d.dottedName(message.GetNameDname())
}

func (d *decoder) typeName(message *archivepb.DefRef) lf.TypeName {
	id, module := d.moduleRef(message.GetModule())
	return lf.TypeName{Package: id, Module: module, Entity: d.dottedName(message.GetNameDname())}
}

func (d *decoder) valueName(message *archivepb.DefRef) ast.ValueName {
	id, module := d.moduleRef(message.GetModule())
	return ast.ValueName{Package: id, Module: module, Name: d.dottedName(message.GetNameDname())}
}

func (d *decoder) location(message *archivepb.Location) ast.Location {
	if message.GetRange() == nil {
		return ast.Location{}
	}
	out := ast.Location{Package: d.self, Module: d.module}
	if message.GetModule() != nil {
		out.Package, out.Module = d.moduleRef(message.GetModule())
	}
	r := message.GetRange()
	out.Start = ast.Position{Line: r.GetStartLine(), Column: r.GetStartColumn()}
	out.End = ast.Position{Line: r.GetEndLine(), Column: r.GetEndColumn()}
	return out
}

func (d *decoder) readTables(message *archivepb.Package) {
	d.strings = message.GetInternedStrings()
	d.identifiers = make([]bool, len(d.strings))
	d.dottedNames = each(d, message.GetInternedDottedNames(), d.readDottedName)
	switch imports := message.GetImports().(type) {
	case *archivepb.Package_PackageImports:
		d.since(ast.V2_2, "a table of imports")
		d.hasImports = true
		d.imports = each(d, imports.PackageImports.GetPackageIds(), d.packageID)
	case *archivepb.Package_NoImportsReason:
		d.since(ast.V2_2, "a reason for having no table of imports")
	}
	if len(message.GetInternedKinds()) > 0 {
		d.since(ast.V2_2, "a table of kinds")
	}
	for _, kind := range message.GetInternedKinds() {
		d.kinds = append(d.kinds, measureTree(d, func() ast.Kind { return d.kindEntry(kind) }))
	}
	for _, entry := range message.GetInternedTypes() {
		d.types = append(d.types, measureTree(d, func() ast.Type { return d.typeEntry(entry) }))
	}
	d.exprs = message.GetInternedExprs()
	if len(d.exprs) > 0 {
		d.since(ast.V2_2, "a table of expressions")
	}
	d.exprEntries = make([]exprEntry, len(d.exprs))
	d.exprLimit = int32(len(d.exprs))
}

func (d *decoder) readMetadata(message *archivepb.PackageMetadata, out *ast.Package) {
	if message == nil {
		d.fail("the package has no name and version")
		return
	}
	out.Name, out.Release = d.text(message.GetNameStr()), d.text(message.GetVersionStr())
	if d.err == nil && !packageNameForm.MatchString(out.Name) {
		d.fail("%q is not a package name", fault.Shorten(out.Name))
	}
	if d.err == nil && (len(out.Release) > maxReleaseLength || !packageReleaseForm.MatchString(out.Release)) {
		d.fail("%q is not a package version", fault.Shorten(out.Release))
	}
	if message.GetUpgraded() != nil {
		out.Upgrades = d.packageID(d.text(message.GetUpgraded().GetPackageIdStr()))
	}
}
