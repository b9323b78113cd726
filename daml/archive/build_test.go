package archive_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// builder makes packages as compilers do: texts and names are in tables.
type builder struct {
	pkg   *archivepb.Package
	texts map[string]int32
}

// newBuilder begins a package with one empty module, Main.
func newBuilder() *builder {
	b := &builder{pkg: &archivepb.Package{}, texts: map[string]int32{}}
	b.pkg.Metadata = &archivepb.PackageMetadata{NameStr: b.text("example"), VersionStr: b.text("1.0.0")}
	b.pkg.Modules = []*archivepb.Module{{NameDname: b.dotted("Main"), Flags: allFlags()}}
	return b
}

func allFlags() *archivepb.FeatureFlags {
	return &archivepb.FeatureFlags{
		ForbidPartyLiterals: true, DontDivulgeContractIdsInCreateArguments: true,
		DontDiscloseNonConsumingChoicesToObservers: true,
	}
}

func (b *builder) main() *archivepb.Module { return b.pkg.Modules[0] }

func (b *builder) text(text string) int32 {
	index, ok := b.texts[text]
	if !ok {
		index = int32(len(b.pkg.InternedStrings))
		b.texts[text] = index
		b.pkg.InternedStrings = append(b.pkg.InternedStrings, text)
	}
	return index
}

func (b *builder) dotted(segments ...string) int32 {
	name := &archivepb.DottedName{}
	for _, segment := range segments {
		name.SegmentsStr = append(name.SegmentsStr, b.text(segment))
	}
	b.pkg.InternedDottedNames = append(b.pkg.InternedDottedNames, name)
	return int32(len(b.pkg.InternedDottedNames) - 1)
}

func (b *builder) typ(t *archivepb.Type) *archivepb.Type {
	b.pkg.InternedTypes = append(b.pkg.InternedTypes, t)
	return &archivepb.Type{Sum: &archivepb.Type_Interned{Interned: int32(len(b.pkg.InternedTypes) - 1)}}
}

func builtinType(t archivepb.BuiltinType, args ...*archivepb.Type) *archivepb.Type {
	return &archivepb.Type{Sum: &archivepb.Type_Builtin_{Builtin: &archivepb.Type_Builtin{Builtin: t, Args: args}}}
}

func (b *builder) int64Type() *archivepb.Type { return b.typ(builtinType(archivepb.BuiltinType_INT64)) }

// value defines a value of type Int64 in module Main.
func (b *builder) value(name string, expr *archivepb.Expr) {
	b.main().Values = append(b.main().Values, &archivepb.DefValue{
		Name: &archivepb.DefValue_NameType{NameDname: b.dotted(name), Type: b.int64Type()}, Expr: expr,
	})
}

// tableExpr puts an expression into the table of expressions.
func (b *builder) tableExpr(expr *archivepb.Expr) *archivepb.Expr {
	b.pkg.InternedExprs = append(b.pkg.InternedExprs, expr)
	return &archivepb.Expr{Sum: &archivepb.Expr_Interned{Interned: int32(len(b.pkg.InternedExprs) - 1)}}
}

func intLiteral(value int64) *archivepb.Expr {
	return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinLit{
		BuiltinLit: &archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_Int64{Int64: value}},
	}}
}

func literal(sum *archivepb.BuiltinLit) *archivepb.Expr {
	return &archivepb.Expr{Sum: &archivepb.Expr_BuiltinLit{BuiltinLit: sum}}
}

func builtin(function archivepb.BuiltinFunction) *archivepb.Expr {
	return &archivepb.Expr{Sum: &archivepb.Expr_Builtin{Builtin: function}}
}

func app(function *archivepb.Expr, args ...*archivepb.Expr) *archivepb.Expr {
	return &archivepb.Expr{Sum: &archivepb.Expr_App_{App: &archivepb.Expr_App{Function: function, Args: args}}}
}

// external refers to a definition of another package, as versions without a table of imports do.
func (b *builder) external(id lf.PackageID, module, name string) *archivepb.DefRef {
	return &archivepb.DefRef{
		Module: &archivepb.ModuleRef{
			Package:   &archivepb.PackageRef{Sum: &archivepb.PackageRef_ImportedStr{ImportedStr: b.text(string(id))}},
			NameDname: b.dotted(module),
		},
		NameDname: b.dotted(name),
	}
}

// dalf is the package as the content of a DALF file.
func (b *builder) dalf(minor string) []byte {
	encoded, err := proto.Marshal(b.pkg)
	if err != nil {
		panic(err)
	}
	return seal(minor, encoded)
}

// seal puts an encoded package of a minor version into an archive with the right hash.
func seal(minor string, encoded []byte) []byte {
	return envelope(&archivepb.ArchivePayload{
		Minor: minor, Sum: &archivepb.ArchivePayload_DamlLf_2{DamlLf_2: encoded},
	})
}

func envelope(payload *archivepb.ArchivePayload) []byte {
	encoded, err := proto.Marshal(payload)
	if err != nil {
		panic(err)
	}
	digest := sha256.Sum256(encoded)
	out, err := proto.Marshal(&archivepb.Archive{Payload: encoded, Hash: hex.EncodeToString(digest[:])})
	if err != nil {
		panic(err)
	}
	return out
}

func (b *builder) read(t *testing.T, minor string) *ast.Package {
	t.Helper()
	out, err := archive.ReadPackage(b.dalf(minor), archive.Options{Dev: true})
	require.NoError(t, err)
	return out
}

// entry is a file of a zip archive.
type entry struct {
	name    string
	content []byte
}

func zipOf(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, e := range entries {
		file, err := writer.Create(e.name)
		require.NoError(tb, err)
		_, err = file.Write(e.content)
		require.NoError(tb, err)
	}
	require.NoError(tb, writer.Close())
	return out.Bytes()
}

// manifestOf is a manifest that names packages, the main one first.
func manifestOf(packages ...string) entry {
	list := strings.Join(packages, ", ")
	text := "Manifest-Version: 1.0\nSdk-Version: 3.4.11\n" + fold("Main-Dalf: "+packages[0]) + fold("Dalfs: "+list) +
		"Format: daml-lf\nEncryption: non-encrypted\n"
	return entry{name: "META-INF/MANIFEST.MF", content: []byte(text)}
}

// fold breaks a line as manifests do: at 72 bytes, with a blank before the rest.
func fold(line string) string {
	var out strings.Builder
	for len(line) > 72 {
		out.WriteString(line[:72] + "\r\n")
		line = " " + line[72:]
	}
	return out.String() + line + "\r\n"
}
