package lf_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestTypes_DescribeGoTypes(t *testing.T) {
	t.Parallel()
	described := typeOf[ledgertest.Everything](t)
	require.Equal(t, ledgertest.ModelPackage+":Test.Values:Everything", described.Name.String())
	kinds := map[string]lf.Kind{}
	for _, field := range described.Fields {
		kinds[field.Name] = field.Type.Kind
	}
	require.Equal(t, map[string]lf.Kind{
		"owner": lf.KindParty, "unit": lf.KindUnit, "bool": lf.KindBool, "int": lf.KindInt64, "numeric": lf.KindNumeric,
		"text": lf.KindText, "contract": lf.KindContractID, "timestamp": lf.KindTimestamp, "date": lf.KindDate,
		"maybe": lf.KindOptional, "nested": lf.KindOptional, "deep": lf.KindOptional, "list": lf.KindList,
		"textMap": lf.KindTextMap, "genMap": lf.KindGenMap, "set": lf.KindRecord, "pair": lf.KindRecord,
		"colour": lf.KindEnum, "shape": lf.KindVariant, "any": lf.KindVariant, "duration": lf.KindRecord,
		"last": lf.KindOptional, "later": lf.KindOptional,
	}, kinds)
}

// Pointers have the methods of their elements, also the markers of contract ids, enumerations and maps, but they are
// optionals.
func TestTypes_DescribePointersAsOptionals(t *testing.T) {
	t.Parallel()
	for element, described := range map[lf.Kind]*lf.Type{
		lf.KindContractID: typeOf[*lf.CID[ledgertest.Iou]](t),
		lf.KindEnum:       typeOf[*ledgertest.Colour](t),
		lf.KindGenMap:     typeOf[*lf.Map[string, int64]](t),
	} {
		require.Equal(t, lf.KindOptional, described.Kind)
		require.Equal(t, element, described.Element.Kind)
	}
}

func TestTypes_RefuseOtherGoTypes(t *testing.T) {
	t.Parallel()
	type (
		unnamed struct {
			A int64 `lf:"a"`
		}
		misnamed struct {
			_ struct{} `lf:"nonsense"`
		}
		elsewhere struct {
			_ struct{} `lf:"unknown-package:M:E"`
		}
		untagged struct {
			_ struct{} `lf:"test-model:M:E"`
			A int64
		}
		unexported struct {
			_ struct{} `lf:"test-model:M:E"`
			a int64    `lf:"a"` //nolint:unused // what is tested
		}
		float struct {
			_ struct{} `lf:"test-model:M:E"`
			A float64  `lf:"a"`
		}
		constructor struct {
			_ struct{} `lf:"variant test-model:M:E"`
			A int64    `lf:"A"`
		}
	)
	types := lf.NewTypes(map[string]lf.PackageID{"test-model": ledgertest.ModelPackage})
	for want, goType := range map[string]reflect.Type{
		"has no blank field tagged with its name":                       reflect.TypeFor[unnamed](),
		"Invalid identifier format (nonsense)":                          reflect.TypeFor[misnamed](),
		"package unknown-package of type":                               reflect.TypeFor[elsewhere](),
		"field A must be exported and carry an lf tag":                  reflect.TypeFor[untagged](),
		"field a must be exported and carry an lf tag":                  reflect.TypeFor[unexported](),
		"the contract language has no such type":                        reflect.TypeFor[float](),
		"constructor A must be a pointer":                               reflect.TypeFor[constructor](),
		"type int32: the contract language has no such type":            reflect.TypeFor[int32](),
		"type map[int64]string: the contract language has no such type": reflect.TypeFor[map[int64]string](),
	} {
		_, err := types.Of(goType)
		require.ErrorContains(t, err, want)
	}
	_, err := types.NameOf(reflect.TypeFor[string]())
	require.ErrorContains(t, err, "string is not a struct")
}

func TestFromGo_RefusesBadGoValues(t *testing.T) {
	t.Parallel()
	text := "x"
	for want, shape := range map[string]any{
		"no constructor of":                     ledgertest.Any{},
		"more than one constructor of":          ledgertest.Any{Text: &text, List: &[]ledgertest.Any{}},
		`"Blue" is not a constructor of`:        ledgertest.Colour("Blue"),
		"a text contains NUL":                   "a\x00",
		"is outside the years 1 to 9999":        lf.TimestampOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)),
		"no constructor of " + "11111111111111": lf.Map[string, ledgertest.Any]{{Key: "k"}},
	} {
		types := lf.NewTypes(map[string]lf.PackageID{
			"test-model": ledgertest.ModelPackage, "daml-prim-DA-Types": "22", "daml-stdlib-DA-Set-Types": "33",
		})
		described, err := types.Of(reflect.TypeOf(shape))
		require.NoError(t, err)
		_, err = lf.FromGo(described, reflect.ValueOf(shape))
		require.ErrorContains(t, err, want)
	}
}

func TestTimestamp_AddsSubtractsAndPrints(t *testing.T) {
	t.Parallel()
	at, err := lf.ParseTimestamp("2026-03-01T10:00:00.5Z")
	require.NoError(t, err)
	later := at.Add(lf.RelTimeOf(90 * time.Minute))
	require.Equal(t, "2026-03-01T11:30:00.5Z", later.String())
	require.Equal(t, 90*time.Minute, later.Sub(at).Duration())
	require.Equal(t, time.Date(2026, 3, 1, 10, 0, 0, 500_000_000, time.UTC), at.Time())
}

func TestParseTypeName_RefusesMalformedNames(t *testing.T) {
	t.Parallel()
	name, err := lf.ParseTypeName("#splice-amulet:Splice.Amulet:Amulet")
	require.NoError(t, err)
	require.Equal(t, "Splice.Amulet:Amulet", name.QualifiedName())
	require.False(t, name.IsZero())
	require.True(t, lf.TypeName{}.IsZero())
	text, err := name.MarshalText()
	require.NoError(t, err)
	var again lf.TypeName
	require.NoError(t, again.UnmarshalText(text))
	require.Equal(t, name, again)
	for _, wrong := range []string{"", "a", "a:b", "a:b:c:d", ":b:c", "a::c", "a:b:"} {
		require.ErrorContains(t, again.UnmarshalText([]byte(wrong)), "Invalid identifier format ("+wrong+")")
	}
}

func TestMap_GetFindsByKey(t *testing.T) {
	t.Parallel()
	m := lf.Map[ledgertest.Round, string]{{Key: ledgertest.Round{Number: 7}, Value: "seven"}}
	found, ok := m.Get(func(round ledgertest.Round) bool { return round.Number == 7 })
	require.True(t, ok)
	require.Equal(t, "seven", found)
	_, ok = m.Get(func(round ledgertest.Round) bool { return round.Number == 8 })
	require.False(t, ok)
}
