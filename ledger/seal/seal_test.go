package seal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/topology"
)

func keys(tb testing.TB, ids ...int32) *seal.Keys {
	tb.Helper()
	var list []seal.Key
	for _, id := range ids {
		secret := make([]byte, seal.SecretBytes)
		secret[0] = byte(id)
		list = append(list, seal.Key{ID: id, Secret: secret})
	}
	made, err := seal.NewKeys(list...)
	require.NoError(tb, err)
	return made
}

// fill sets all fields of a value.
func fill(tb testing.TB, v reflect.Value) {
	tb.Helper()
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.UTC)))
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"b": "<x>", "a": [1, 2]}`))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.String:
		v.SetString("a text, \u00e9 <&>")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(tb, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(tb, v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(tb, field)
		}
	default:
		tb.Fatalf("a %s cannot be filled: teach package seal and this test how", v.Type())
	}
}

// alter calls try with each piece of a value changed, one at a time, and undoes it again.
func alter(tb testing.TB, path string, v reflect.Value, try func(path string)) {
	tb.Helper()
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	changed := func(how string, set func()) {
		set()
		try(path + " " + how)
		v.Set(before)
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		changed("emptied", v.SetZero)
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		at, _ := reflect.TypeAssert[time.Time](v)
		changed("later", func() { v.Set(reflect.ValueOf(at.Add(time.Nanosecond))) })
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		changed("other JSON", func() { v.Set(reflect.ValueOf(json.RawMessage(`{"b":"<x>","a":[1,3]}`))) })
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		changed("one more", func() { v.SetInt(v.Int() + 1) })
	case reflect.Uint8:
		changed("one more", func() { v.SetUint(v.Uint() + 1) })
	case reflect.String:
		changed("longer", func() { v.SetString(v.String() + "x") })
	case reflect.Pointer:
		alter(tb, path, v.Elem(), try)
	case reflect.Slice:
		changed("shorter", func() { v.Set(v.Slice(0, 1)) })
		changed("longer", func() { v.Set(reflect.AppendSlice(v.Slice(0, 2), v.Slice(0, 1))) })
		alter(tb, path+"[1]", v.Index(1), try)
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			if tag.Get("seal") != "-" && tag.Get("json") != "-" { // JSON does not carry the others
				alter(tb, path+"."+v.Type().Field(i).Name, v.Field(i), try)
			}
		}
	default: // emptied above
	}
}

// sealed are values with all fields set.
func sealed(tb testing.TB) map[seal.Purpose]any {
	tb.Helper()
	values := map[seal.Purpose]any{
		seal.Submission: &ledger.Submission{}, seal.Contribution: &topology.Contribution{},
	}
	for _, value := range values {
		fill(tb, reflect.ValueOf(value).Elem())
	}
	return values
}

// TestSeal_CoversEveryField takes the fields from the types, so that it also covers new ones.
func TestSeal_CoversEveryField(t *testing.T) {
	t.Parallel()
	k := keys(t, 1)
	for purpose, value := range sealed(t) {
		mark, err := k.Of(purpose, value)
		require.NoError(t, err)
		require.NoError(t, k.Check(purpose, value, mark))
		digest, err := seal.Digest(value)
		require.NoError(t, err)
		tried := 0
		alter(t, string(purpose), reflect.ValueOf(value).Elem(), func(path string) {
			tried++
			require.ErrorIs(t, k.Check(purpose, value, mark), seal.ErrBroken, path)
			other, err := seal.Digest(value)
			require.NoError(t, err)
			require.NotEqual(t, digest, other, path)
		})
		require.Greater(t, tried, 10)
		require.NoError(t, k.Check(purpose, value, mark), "the value is restored")
	}
}

// TestSeal_SurvivesTemporalJSON sends empty and full sealed values through the JSON that Temporal stores.
func TestSeal_SurvivesTemporalJSON(t *testing.T) {
	t.Parallel()
	k := keys(t, 1)
	values := sealed(t)
	zone := time.FixedZone("somewhere", 3600)
	name := lf.TypeName{Package: "#p", Module: "M", Entity: "E"}
	nothing := &ledger.Submission{
		ActAs: []ledger.Party{}, Commands: []ledger.Command{{Create: &ledger.CreateCommand{Template: name}}},
		CommandID: "not \xff\xfe text", ReceivedAt: time.Date(2026, 3, 1, 10, 0, 0, 5, zone),
	}
	for name, value := range map[string]any{
		"full submission": values[seal.Submission], "full contribution": values[seal.Contribution],
		"little": nothing, "nothing": &topology.Contribution{},
	} {
		mark, err := k.Of(seal.Submission, value)
		require.NoError(t, err)
		for range 2 {
			text, err := json.Marshal(value)
			require.NoError(t, err)
			value = reflect.New(reflect.TypeOf(value).Elem()).Interface()
			require.NoError(t, json.Unmarshal(text, value))
			require.NoError(t, k.Check(seal.Submission, value, mark), name)
		}
	}
}

func TestSeal_RefusesOtherKeys(t *testing.T) {
	t.Parallel()
	k := keys(t, 1, 2)
	value := &ledger.Submission{CommandID: "c"}
	mark, err := k.Of(seal.Submission, value)
	require.NoError(t, err)
	require.Regexp(t, `^1\.2\.[A-Za-z0-9_-]{43}$`, mark)
	require.NoError(t, k.Check(seal.Submission, value, mark))
	old, err := keys(t, 1).Of(seal.Submission, value)
	require.NoError(t, err)
	require.NoError(t, k.Check(seal.Submission, value, old), "older keys still count")
	require.ErrorIs(t, keys(t, 1).Check(seal.Submission, value, mark), seal.ErrUnknownKey)
	for _, c := range []struct {
		mark string
		want error
	}{
		{"", seal.ErrMissing},
		{"1.2.", seal.ErrBroken},
		{"1.2.?", seal.ErrBroken},
		{"1.1" + mark[3:], seal.ErrBroken},
		{mark[:len(mark)-4], seal.ErrBroken},
		{"2" + mark[1:], seal.ErrUnknownKey},
		{"nonsense", seal.ErrUnknownKey},
	} {
		require.ErrorIs(t, k.Check(seal.Submission, value, c.mark), c.want, c.mark)
	}
	for _, other := range seal.Purposes() {
		if other != seal.Submission {
			require.ErrorIs(t, k.Check(other, value, mark), seal.ErrBroken, other)
		}
	}
	for _, bad := range []seal.Key{{ID: 0, Secret: make([]byte, 32)}, {ID: 1, Secret: make([]byte, 31)}} {
		_, err := seal.NewKeys(bad)
		require.Error(t, err)
	}
	_, err = seal.NewKeys()
	require.Error(t, err)
}

// A seal must not silently omit a value of an unknown type.
func TestSeal_RefusesUnknownTypes(t *testing.T) {
	t.Parallel()
	k := keys(t, 1)
	type hidden struct{ secret int }
	for _, value := range []any{
		nil, hidden{1}, struct{ M map[string]string }{map[string]string{"a": "b"}}, struct{ F float64 }{1}, []*int{nil},
	} {
		_, err := k.Of(seal.Submission, value)
		require.Error(t, err, "%#v", value)
	}
}

// TestSeal_HoldsAcrossVersions checks a submission that the first version sealed. A failure means that an upgrade loses
// submissions that Temporal still has. New fields must be empty by default, and no field may change its name or order.
func TestSeal_HoldsAcrossVersions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/sealed-1.json")
	require.NoError(t, err)
	var value ledger.Submission
	require.NoError(t, json.Unmarshal(text, &value))
	require.NoError(t, keys(t, 1).Check(seal.Submission, value, value.Seal))
}

func BenchmarkSeal_Submission(b *testing.B) {
	k := keys(b, 1)
	value := ledger.Submission{
		Key: "0d4f8d2c-7d5e-4a43-9a53-0b6c2d0d8a11", Identity: ledger.DefaultUser("alice"),
		CommandID: "pay-4711", SubmissionID: "s",
		ActAs: []ledger.Party{"alice::1220"}, ReceivedAt: time.Unix(1, 0), Kind: ledger.KindCommand,
		Commands: []ledger.Command{{Exercise: &ledger.ExerciseCommand{
			Contract: "00aa", Choice: "AmuletRules_Transfer", Argument: json.RawMessage(make2KB()),
		}}},
	}
	mark, err := k.Of(seal.Submission, value)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Check(seal.Submission, value, mark); err != nil {
			b.Fatal(err)
		}
	}
}

func make2KB() string {
	text, _ := json.Marshal(make([]int, 1000))
	return string(text)
}

func TestSecret_OfThePageIsSeparate(t *testing.T) {
	t.Parallel()
	one := seal.Key{ID: 1, Secret: bytes.Repeat([]byte{1}, seal.SecretBytes)}
	two := seal.Key{ID: 2, Secret: bytes.Repeat([]byte{2}, seal.SecretBytes)}
	alone, err := seal.NewKeys(one)
	require.NoError(t, err)
	both, err := seal.NewKeys(two, one)
	require.NoError(t, err)
	require.Len(t, alone.Secret(seal.Page), 32)
	require.NotEqual(t, one.Secret, alone.Secret(seal.Page))
	require.NotEqual(t, alone.Secret(seal.Page), alone.Secret(seal.Submission))
	require.NotEqual(t, alone.Secret(seal.Page), both.Secret(seal.Page), "it is that of the newest key")
	require.NotContains(t, seal.Purposes(), seal.Page)
	alone.Secret(seal.Page)[0]++
	again, err := seal.NewKeys(one)
	require.NoError(t, err)
	require.Equal(t, again.Secret(seal.Page), alone.Secret(seal.Page), "callers get a copy")
}
