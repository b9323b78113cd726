package upload_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/packages/upload"
)

// views is the source of a package with an interface, whose view has a text and more fields.
func views(name, version, more string) string {
	replacer := strings.NewReplacer("$name", name, "$version", version, "$more", more)
	return replacer.Replace(`metadata ( '$name' : '$version' )
module Test.Asset {
  record @serializable Archive = {};
  record @serializable View = { text: Text$more };
  record @serializable Other = { text: Text };
  interface (this: Asset) = {
    viewtype Test.Asset:View;
    choice Archive (self) (a: Test.Asset:Archive): Unit, controllers Nil @Party to upure @Unit ();
  };
}`)
}

// dependent is the source of a package that refers to a data type of another one.
func dependent(on dartest.Package, of string) string {
	return strings.NewReplacer("$of", "'"+string(on.ID)+"':"+of).Replace(`metadata ( app : '1.0.0' )
module A { val same: $of -> $of = \(x: $of) -> x; }`)
}

func emptyLedger(t *testing.T) upload.Ledger {
	t.Helper()
	builtIn, err := ledger.NewPackages(ledgertest.Packages()...)
	require.NoError(t, err)
	return upload.Ledger{BuiltIn: builtIn, Uploaded: ast.Packages{}}
}

func checkUpload(t *testing.T, has upload.Ledger, packages ...dartest.Package) (upload.Upload, error) {
	t.Helper()
	return upload.Check(t.Context(), dartest.DAR(t, packages...), has, upload.DefaultLimits())
}

// refusal returns the fault of an upload.
func refusal(t *testing.T, err error, code fault.Code) *fault.Fault {
	t.Helper()
	out, isFault := fault.As(err)
	require.True(t, isFault, "%v", err)
	require.Equal(t, code.ID, out.Code, "%v", err)
	return out
}

func TestCheck_RefusesInterfacesUnderABuiltInName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"test-asset", "test-model", "old-name"} { // with interfaces, without, and an old name
		evil := dartest.Compile(t, views(name, "99.0.0", ""))
		_, err := checkUpload(t, emptyLedger(t), dartest.Compile(t, dependent(evil, "Test.Asset:View")), evil)
		refused := refusal(t, err, fault.DARValidationError)
		require.Contains(t, refused.Cause, name+" 99.0.0")
	}
}

// The archive has another version of a built-in package, as the main package or as a dependency.
func TestCheck_NamesTheVersionToBuildAgainst(t *testing.T) {
	t.Parallel()
	model := dartest.Compile(t, dartest.Notes("test-model", "0.9.0", ""))
	assets := dartest.Compile(t, views("test-asset", "0.9.0", ""))
	for hint, packages := range map[string][]dartest.Package{
		"test-model 1.2.0, which this node has: its id is " + ledgertest.ModelPackage: {model},
		"test-asset 1.0.0, which this node has: its id is " + ledgertest.AssetPackage: {
			dartest.Compile(t, dependent(assets, "Test.Asset:View")), assets,
		},
	} {
		_, err := checkUpload(t, emptyLedger(t), packages...)
		require.Contains(t, refusal(t, err, fault.DARValidationError).Hint, hint)
	}
}

func TestCheck_AcceptsTypesUnderABuiltInName(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"templates": dartest.Notes("test-model", "0.9.0", ""),
		"types":     "metadata ( 'test-model' : '0.9.0' ) module N { record @serializable Note = { text: Text }; }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			older := dartest.Compile(t, source)
			out, err := checkUpload(t, emptyLedger(t), dartest.Compile(t, dependent(older, "N:Note")), older)
			require.NoError(t, err)
			require.Len(t, out.Added, 2)
		})
	}
}

func TestCheck_ComparesViewsOfVersions(t *testing.T) {
	t.Parallel()
	has := emptyLedger(t)
	first, err := checkUpload(t, has, dartest.Compile(t, views("mine", "1.0.0", "")))
	require.NoError(t, err)
	has.Uploaded = ast.Packages{first.Added[0].ID: first.Added[0].Package}
	_, err = checkUpload(t, has, dartest.Compile(t, views("mine", "1.1.0", ", more: Optional Text")))
	require.NoError(t, err)
	for _, source := range []string{
		views("mine", "1.1.0", ", more: Text"),
		strings.Replace(views("mine", "1.1.0", ""), "viewtype Test.Asset:View", "viewtype Test.Asset:Other", 1),
	} {
		_, err = checkUpload(t, has, dartest.Compile(t, source))
		require.Contains(t, refusal(t, err, fault.NotValidUpgradePackage).Cause, "mine 1.1.0")
	}
}

// A version without the interface is uploaded before the other version with it, which is the newer or the older one.
func TestCheck_ComparesViewsOverVersionsWithoutThem(t *testing.T) {
	t.Parallel()
	first := dartest.Compile(t, views("mine", "1.0.0", ""))
	source := views("mine", "1.1.0", "")
	without := dartest.Compile(t, source[:strings.Index(source, "  interface ")]+"}")
	same := dartest.Compile(t, views("mine", "1.2.0", ""))
	other := dartest.Compile(t, strings.Replace(views("mine", "1.2.0", ""), "viewtype Test.Asset:View",
		"viewtype Test.Asset:Other", 1))
	for what, test := range map[string]struct {
		uploads []dartest.Package
		refused bool
	}{
		"the newer one":                   {[]dartest.Package{first, without, other}, true},
		"the older one":                   {[]dartest.Package{other, without, first}, true},
		"the newer one, of the same view": {[]dartest.Package{first, without, same}, false},
		"the older one, of the same view": {[]dartest.Package{same, without, first}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			has := emptyLedger(t)
			for _, p := range test.uploads[:2] {
				out, err := checkUpload(t, has, p)
				require.NoError(t, err)
				has.Uploaded[p.ID] = out.Added[0].Package
			}
			_, err := checkUpload(t, has, test.uploads[2])
			if !test.refused {
				require.NoError(t, err)
				return
			}
			cause := refusal(t, err, fault.NotValidUpgradePackage).Cause
			require.Contains(t, cause, "Package mine 1.2.0 cannot be a newer version of package mine 1.0.0")
			require.Contains(t, cause, "interface Asset")
		})
	}
}
