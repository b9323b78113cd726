package archive_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

func TestReadPackage_ChecksTheLanguageVersion(t *testing.T) {
	t.Parallel()
	for minor, refusal := range map[string]string{
		"1": "", "2": "", "3": "",
		"dev": "Daml-LF 2.dev", "3-rc2": "Daml-LF 2.3-rc2", "4": "Daml-LF 2.4", "4-rc1": "Daml-LF 2.4-rc1", "": "Daml-LF 2.",
		"\x1b[2J\n": `Daml-LF 2.\x1b[2J\n`,
	} {
		_, err := archive.ReadPackage(newBuilder().dalf(minor), archive.Options{})
		if refusal == "" {
			require.NoError(t, err, minor)
			continue
		}
		require.True(t, fault.DARParseError.Matches(err), minor)
		require.ErrorContains(t, err, refusal+"; only Daml-LF 2.1 to 2.3 are supported")
	}
	_, err := archive.ReadPackage(newBuilder().dalf("dev"), archive.Options{Candidates: true})
	require.ErrorContains(t, err, "Daml-LF 2.dev; only")
	_, err = archive.ReadPackage(newBuilder().dalf("3-rc1"), archive.Options{Candidates: true})
	require.ErrorContains(t, err, "Daml-LF 2.3-rc1; only", "its keys are of other types")
	_, err = archive.ReadPackage(newBuilder().dalf("3-rc2"), archive.Options{Candidates: true})
	require.NoError(t, err)
	for _, minor := range []string{"dev", "3-rc1", "3-rc2"} {
		read, err := archive.ReadPackage(newBuilder().dalf(minor), archive.Options{Dev: true})
		require.NoError(t, err)
		require.Equal(t, "2."+minor, read.WrittenVersion)
	}
	_, err = archive.ReadPackage(envelope(&archivepb.ArchivePayload{
		Minor: "17", Sum: &archivepb.ArchivePayload_DamlLf_1{DamlLf_1: []byte("old")},
	}), archive.Options{Dev: true})
	require.ErrorContains(t, err, "Daml-LF 1.17; only Daml-LF 2.1 to 2.3 are supported")
	_, err = archive.ReadPackage(envelope(&archivepb.ArchivePayload{Minor: "1"}), archive.Options{})
	require.ErrorContains(t, err, "unknown major version")
	_, err = archive.ReadPackage(envelope(&archivepb.ArchivePayload{
		Minor: "1", Patch: 2, Sum: &archivepb.ArchivePayload_DamlLf_2{},
	}), archive.Options{})
	require.ErrorContains(t, err, "patch version 2")
}

func TestReadPackage_ChecksTheHash(t *testing.T) {
	t.Parallel()
	dalf := &archivepb.Archive{}
	require.NoError(t, proto.Unmarshal(newBuilder().dalf("1"), dalf))
	dalf.Hash = strings.Repeat("0", 64)
	data, err := proto.Marshal(dalf)
	require.NoError(t, err)
	_, err = archive.ReadPackage(data, archive.Options{})
	require.True(t, fault.DARParseError.Matches(err))
	require.ErrorContains(t, err, "but the package says "+dalf.GetHash())
	dalf.Hash = "\x1b[2J"
	data, err = proto.Marshal(dalf)
	require.NoError(t, err)
	_, err = archive.ReadPackage(data, archive.Options{})
	require.ErrorContains(t, err, `but the package says \x1b[2J`, "nothing that moves the cursor")

	dalf.Hash = ""
	data, err = proto.Marshal(dalf)
	require.NoError(t, err)
	_, err = archive.ReadPackage(data, archive.Options{})
	require.ErrorContains(t, err, "The package does not contain its hash")
	_, err = archive.ReadPackage(nil, archive.Options{})
	require.ErrorContains(t, err, "The package is empty")

	dalf.HashFunction = 1
	data, err = proto.Marshal(dalf)
	require.NoError(t, err)
	_, err = archive.ReadPackage(data, archive.Options{})
	require.ErrorContains(t, err, "only SHA-256 is supported")
}

func TestReadPackage_RefusesUnknownFields(t *testing.T) {
	t.Parallel()
	field := protowire.AppendVarint(protowire.AppendTag(nil, 77, protowire.VarintType), 1)
	encoded, err := proto.Marshal(newBuilder().pkg)
	require.NoError(t, err)
	_, err = archive.ReadPackage(seal("1", append(encoded, field...)), archive.Options{})
	require.ErrorContains(t, err, "this version does not know field 77 of Package")
	_, err = archive.ReadPackage(append(newBuilder().dalf("1"), field...), archive.Options{})
	require.ErrorContains(t, err, "parts that this version does not know")

	wrongWire := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	_, err = archive.ReadPackage(seal("1", append(encoded, wrongWire...)), archive.Options{})
	require.ErrorContains(t, err, "this version does not know field 1 of Package")
}

func TestReadPackage_RefusesIllFormedPackages(t *testing.T) {
	t.Parallel()
	typeOf := func(t *archivepb.Type) func(b *builder) {
		return func(b *builder) { b.pkg.InternedTypes = append(b.pkg.InternedTypes, t) }
	}
	body := func(expr func(b *builder) *archivepb.Expr) func(b *builder) {
		return func(b *builder) { b.value("v", expr(b)) }
	}
	number := func(text string) func(b *builder) {
		return body(func(b *builder) *archivepb.Expr {
			return literal(&archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_NumericStr{NumericStr: b.text(text)}})
		})
	}
	lit := func(l *archivepb.BuiltinLit) func(b *builder) {
		return body(func(*builder) *archivepb.Expr { return literal(l) })
	}
	for name, test := range map[string]struct {
		change  func(b *builder)
		refusal string
	}{
		"no metadata":           {func(b *builder) { b.pkg.Metadata = nil }, "no name and version"},
		"bad version":           {func(b *builder) { b.pkg.Metadata.VersionStr = b.text("1.02") }, `"1.02" is no`},
		"bad name":              {func(b *builder) { b.pkg.Metadata.NameStr = b.text("a name") }, `"a name" is no`},
		"text out of its table": {func(b *builder) { b.pkg.Metadata.NameStr = 99 }, "text 99 is not in its table"},
		"negative index":        {func(b *builder) { b.pkg.Metadata.NameStr = -1 }, "text -1 is not in its table"},
		"name out of its table": {func(b *builder) { b.main().NameDname = 99 }, "name 99 is not in its table"},
		"no identifier":         {func(b *builder) { b.dotted("Main", "9") }, `"9" is not an identifier`},
		"a name of nothing":     {func(b *builder) { b.dotted() }, "a name has no elements"},
		"a name too long": {func(b *builder) {
			b.dotted(strings.Repeat("a", 600), strings.Repeat("b", 600))
		}, "a name has 1201 characters"},
		"a flag turned off": {
			func(b *builder) { b.main().Flags.ForbidPartyLiterals = false },
			"turns off a feature flag",
		},
		"a module twice": {
			func(b *builder) { b.pkg.Modules = append(b.pkg.Modules, b.main()) },
			"Main is defined twice",
		},
		"a value twice": {
			func(b *builder) { b.value("v", intLiteral(1)); b.value("v", intLiteral(1)) },
			"v is defined twice",
		},
		"type of itself": {typeOf(&archivepb.Type{Sum: &archivepb.Type_Interned{}}), "only a reference"},
		"type of a later one": {
			typeOf(builtinType(archivepb.BuiltinType_LIST, &archivepb.Type{Sum: &archivepb.Type_Interned{Interned: 1}})),
			"type 1 is not in its table",
		},
		"no type":          {typeOf(&archivepb.Type{}), "Daml-LF 2.1 does not have this type"},
		"scale too large":  {typeOf(&archivepb.Type{Sum: &archivepb.Type_Nat{Nat: 38}}), "38 is not a scale"},
		"unknown built-in": {typeOf(builtinType(12)), "built-in type 12 is unknown"},
		"a type of 2.dev": {
			typeOf(builtinType(archivepb.BuiltinType_BIGNUMERIC)),
			"type BigNumeric is not in Daml-LF 2.1",
		},
		"a type outside": {
			func(b *builder) { b.main().Synonyms = []*archivepb.DefTypeSyn{{Type: builtinType(0)}} },
			"not in the table of types",
		},
		"a number without end": {number("1" + strings.Repeat("0", 38) + "."), "more than 38 digits"},
		"a number too precise": {number("0." + strings.Repeat("0", 38)), "more than 37 after the point"},
		"a number with zeros":  {number("01.0"), `"01.0" is not a Numeric`},
		"a number and a plus":  {number("+1.0"), `"+1.0" is not a Numeric`},
		"a date too late": {
			lit(&archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_Date{Date: 1 << 30}}),
			"date 1073741824 is not between",
		},
		"a time too early": {
			lit(&archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_Timestamp{Timestamp: -1 << 62}}),
			"is not between the years 1 and 9999",
		},
		"unknown category": {
			lit(&archivepb.BuiltinLit{Sum: &archivepb.BuiltinLit_FailureCategory{FailureCategory: 2}}),
			"failure category 2 is not in its table",
		},
		"no expression": {
			body(func(*builder) *archivepb.Expr { return &archivepb.Expr{} }),
			"Daml-LF 2.1 does not have this expression",
		},
		"no arguments": {
			body(func(*builder) *archivepb.Expr { return app(intLiteral(1)) }),
			"an application has no elements",
		},
		"unknown function": {
			body(func(*builder) *archivepb.Expr { return builtin(999) }),
			"built-in function 999 is unknown",
		},
		"a function of 2.3": {body(func(*builder) *archivepb.Expr {
			return builtin(archivepb.BuiltinFunction_SECP256K1_VALIDATE_KEY)
		}), "SECP256K1_VALIDATE_KEY is not in Daml-LF 2.1, it needs 2.3 or newer"},
		"a table of 2.2": {func(b *builder) { b.tableExpr(intLiteral(1)) }, "a table of expressions is not in Daml-LF 2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBuilder()
			test.change(b)
			_, err := archive.ReadPackage(b.dalf("1"), archive.Options{Dev: true})
			require.True(t, fault.DARParseError.Matches(err), "%v", err)
			require.ErrorContains(t, err, test.refusal)
		})
	}
}

func TestReadPackage_RefusesForwardReferences(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	later := &archivepb.Expr{Sum: &archivepb.Expr_Interned{Interned: 1}}
	first := b.tableExpr(app(later, intLiteral(1)))
	b.tableExpr(app(first, intLiteral(2)))
	b.value("v", later)
	_, err := archive.ReadPackage(b.dalf("2"), archive.Options{})
	require.ErrorContains(t, err, "an earlier entry of the table refers to expression 1")

	b = newBuilder()
	b.value("v", b.tableExpr(b.tableExpr(intLiteral(1))))
	_, err = archive.ReadPackage(b.dalf("2"), archive.Options{})
	require.ErrorContains(t, err, "an entry of the table of expressions is only a reference")
}

func TestReadPackage_RefusesPackagesMissingFromImports(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	other := lf.PackageID(strings.Repeat("ab", 32))
	b.value("v", &archivepb.Expr{Sum: &archivepb.Expr_Val{Val: b.external(other, "Main", "v")}})
	require.Equal(t, []lf.PackageID{other}, b.read(t, "1").Dependencies)
	_, err := archive.ReadPackage(b.dalf("2"), archive.Options{})
	require.ErrorContains(t, err, "is not in the table of imports")
}

// doubling makes a package with few table entries whose trees have 2 to the power of n nodes.
func doubling(n int) *builder {
	b := newBuilder()
	last := b.tableExpr(intLiteral(1))
	for range n {
		last = b.tableExpr(app(builtin(archivepb.BuiltinFunction_ADD_INT64), last, last))
	}
	b.value("v", last)
	return b
}

func TestReadPackage_RefusesWhatExceedsTheLimits(t *testing.T) {
	t.Parallel()
	nested := newBuilder()
	deep := intLiteral(1)
	for range 600 {
		deep = app(deep, intLiteral(1))
	}
	nested.value("v", deep)

	chain := newBuilder()
	last := chain.tableExpr(intLiteral(1))
	for range 5000 {
		last = chain.tableExpr(app(last, intLiteral(1)))
	}
	chain.value("v", last)

	types := newBuilder()
	typ := types.int64Type()
	for range 60 {
		typ = types.typ(builtinType(archivepb.BuiltinType_GENMAP, typ, typ))
	}

	wide := newBuilder()
	for range 2_000_000 {
		wide.main().Values = append(wide.main().Values, &archivepb.DefValue{})
	}
	limits := archive.DefaultLimits()
	limits.Messages = 1_000_000

	for name, test := range map[string]struct {
		data    []byte
		code    fault.Code
		refusal string
	}{
		"messages nested too deep": {nested.dalf("1"), fault.DARParseError, "messages are nested too deeply"},
		"a chain of references":    {chain.dalf("2"), fault.DARParseError, "expressions are nested deeper than 4000"},
		"expressions that double": {
			doubling(60).dalf("2"), fault.ZipBomb,
			"counting each use of a shared part",
		},
		"types that double":           {types.dalf("1"), fault.ZipBomb, "counting each use of a shared part"},
		"too many messages":           {wide.dalf("1"), fault.ZipBomb, "more than 1000000 parts"},
		"a message nested in a cheat": {seal("2", bytes.Repeat([]byte{0x0a}, 1<<20)), fault.DARParseError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := archive.ReadPackage(test.data, archive.Options{Limits: limits})
			require.True(t, test.code.Matches(err), "%v", err)
			require.ErrorContains(t, err, test.refusal)
		})
	}
	_, err := archive.ReadPackage(doubling(10).dalf("2"), archive.Options{})
	require.NoError(t, err)
}

func TestReadDAR_ShortensEntryNames(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("ab", 32)
	file := "daml-prim-DA-Exception-GeneralError-1.0.0-" + id + ".dalf"
	for name, short := range map[string]string{
		"main-1.0.2-" + id + "/" + file: "/" + file,
		strings.Repeat("d", 300) + "/x": "ddd…/x",
		strings.Repeat("f", 300):        "fff…",
		"d/" + strings.Repeat("f", 300): "fff…",
	} {
		_, err := archive.ReadDAR(zipOf(t, manifestOf("main.dalf", name), entry{"main.dalf", newBuilder().dalf("1")}),
			archive.Options{})
		require.True(t, fault.InvalidDAR.Matches(err), "%v", err)
		require.ErrorContains(t, err, short)
		require.Less(t, len(err.Error()), 360)
	}
}

func TestReadDAR_RefusesIncompleteFiles(t *testing.T) {
	t.Parallel()
	dalf := newBuilder().dalf("1")
	main := entry{"main.dalf", dalf}
	incomplete := newBuilder()
	incomplete.value("v", &archivepb.Expr{Sum: &archivepb.Expr_Val{
		Val: incomplete.external(lf.PackageID(strings.Repeat("ab", 32)), "Main", "v"),
	}})
	limits := archive.DefaultLimits()
	limits.PackageBytes, limits.Entries = 1<<20, 10
	many := make([]entry, 11)
	for i := range many {
		many[i].name = strings.Repeat("a", i+1)
	}
	corrupt := zipOf(t, manifestOf("main.dalf"), main)
	sum := crc32.ChecksumIEEE(dalf)
	corrupt = bytes.ReplaceAll(corrupt, binary.LittleEndian.AppendUint32(nil, sum), make([]byte, 4))

	for name, test := range map[string]struct {
		data    []byte
		code    fault.Code
		refusal string
	}{
		"no zip":             {[]byte("not a zip"), fault.DARParseError, "is not a zip archive"},
		"no manifest":        {zipOf(t, main), fault.InvalidDAR, `no "META-INF/MANIFEST.MF"`},
		"no main package":    {zipOf(t, manifestOf("main.dalf")), fault.InvalidDAR, `no "main.dalf"`},
		"main package twice": {zipOf(t, manifestOf("main.dalf"), main, main), fault.InvalidDAR, `"main.dalf" twice`},
		"no format": {
			zipOf(t, entry{"META-INF/MANIFEST.MF", []byte("Main-Dalf: main.dalf\nDalfs: main.dalf\n")}, main),
			fault.InvalidDAR, "lacks Format",
		},
		"no package in Daml-LF": {
			zipOf(t, manifestOf("main.dalf"), entry{"main.dalf", []byte("x")}), fault.DARParseError,
			"",
		},
		"a dependency missing": {
			zipOf(t, manifestOf("main.dalf"), entry{"main.dalf", incomplete.dalf("1")}),
			fault.DARValidationError, "which is not in the archive",
		},
		"an entry too large": {
			zipOf(t, manifestOf("main.dalf"), entry{"main.dalf", make([]byte, 2<<20)}), fault.ZipBomb,
			"unpacks to more than 1048576 bytes",
		},
		"too many entries": {zipOf(t, many...), fault.ZipBomb, "has 11 entries"},
		"a wrong checksum": {corrupt, fault.DARParseError, "cannot be unpacked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := archive.ReadDAR(test.data, archive.Options{Limits: limits})
			require.True(t, test.code.Matches(err), "%v", err)
			require.ErrorContains(t, err, test.refusal)
		})
	}
}
