package protovalue_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// contract: grpc-values
func TestValue_IsTheSameInJSONAndProtobuf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		described := ledgertest.AnyType(4).Draw(t, "type")
		text := lf.EncodeJSON(described, ledgertest.AnyValue(t, described))
		value, err := lf.DecodeJSON(described, text)
		require.NoError(t, err)
		encoder := protovalue.Encoder{Plain: rapid.Bool().Draw(t, "plain")}
		bytes, err := proto.Marshal(encoder.Value(value))
		require.NoError(t, err)
		message := &ledgerpb.Value{}
		require.NoError(t, proto.Unmarshal(bytes, message))
		again, err := protovalue.Decode(described, message)
		require.NoError(t, err, "%s", message)
		require.Equal(t, string(text), string(lf.EncodeJSON(described, again)))
	})
}

func text(of string) *ledgerpb.Value { return &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: of}} }

func record(fields ...*ledgerpb.RecordField) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: &ledgerpb.Record{Fields: fields}}}
}

func none() *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Optional{Optional: &ledgerpb.Optional{}}}
}

func some(value *ledgerpb.Value) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Optional{Optional: &ledgerpb.Optional{Value: value}}}
}

// pairType is a record of a text, a number of scale ten and an optional text.
func pairType() *lf.Type {
	textType := &lf.Type{Kind: lf.KindText}
	return &lf.Type{
		Kind: lf.KindRecord, Name: lf.TypeName{Package: "p", Module: "M", Entity: "Pair"}, Fields: []lf.Member{
			{Name: "name", Type: textType},
			{Name: "amount", Type: &lf.Type{Kind: lf.KindNumeric}},
			{Name: "note", Type: &lf.Type{Kind: lf.KindOptional, Element: textType}},
		},
	}
}

func TestDecode_TakesLabelsInAnyOrderAndUpgrades(t *testing.T) {
	t.Parallel()
	amount := &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: "+1.50"}}
	want := `{"name":"a","amount":"1.5000000000"}`
	for name, value := range map[string]*ledgerpb.Value{
		"labels in another order": record(
			&ledgerpb.RecordField{Label: "amount", Value: amount}, &ledgerpb.RecordField{Label: "name", Value: text("a")}),
		"without labels": record(&ledgerpb.RecordField{Value: text("a")}, &ledgerpb.RecordField{Value: amount}),
		"some labels":    record(&ledgerpb.RecordField{Label: "name", Value: text("a")}, &ledgerpb.RecordField{Value: amount}),
		"none of a later version": record(&ledgerpb.RecordField{Value: text("a")}, &ledgerpb.RecordField{Value: amount},
			&ledgerpb.RecordField{Value: none()}, &ledgerpb.RecordField{Value: none()}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := protovalue.Decode(pairType(), value)
			require.NoError(t, err)
			require.Equal(t, want, string(lf.EncodeJSON(pairType(), read)))
		})
	}
}

func TestDecode_RefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	number := func(text string) *ledgerpb.RecordField {
		return &ledgerpb.RecordField{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: text}}}
	}
	name := &ledgerpb.RecordField{Value: text("a")}
	for want, value := range map[string]*ledgerpb.Value{
		"Missing non-optional fields: amount":    record(name),
		"got a text, want a record":              text("a"),
		"got a text, want a numeric at 'amount'": record(name, &ledgerpb.RecordField{Value: text("1")}),
		"M:Pair has no field 4": record(name, number("1"), &ledgerpb.RecordField{Value: none()},
			&ledgerpb.RecordField{Value: some(text("x"))}),
		`M:Pair has no field "fee"`: record(&ledgerpb.RecordField{Label: "name", Value: text("a")},
			&ledgerpb.RecordField{Label: "fee", Value: text("1")}),
		"the field name is there twice": record(&ledgerpb.RecordField{Label: "name", Value: text("a")},
			&ledgerpb.RecordField{Label: "name", Value: text("a")}),
		`"1e3" is not a plain decimal number at 'amount'`:                          record(name, number("1e3")),
		`"0.00000000001" is not a decimal of at most 10 digits after the point`:    record(name, number("0.00000000001")),
		"a text must not contain NUL at 'name'":                                    record(&ledgerpb.RecordField{Value: text("\x00")}, number("1")),
		"MISSING_FIELD: The submitted command is missing a mandatory field: value": record(&ledgerpb.RecordField{}, number("1")),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := protovalue.Decode(pairType(), value)
			require.ErrorContains(t, err, want)
		})
	}
}

// No bytes make the reader fail in another way than with an error.
func FuzzDecode_NeverPanics(f *testing.F) {
	seed, err := proto.Marshal(record(&ledgerpb.RecordField{Value: text("a")}))
	require.NoError(f, err)
	f.Add(seed)
	described := pairType()
	f.Fuzz(func(t *testing.T, bytes []byte) {
		message := &ledgerpb.Value{}
		if proto.Unmarshal(bytes, message) != nil {
			return
		}
		if value, err := protovalue.Decode(described, message); err == nil {
			_, err = lf.DecodeJSON(described, lf.EncodeJSON(described, value))
			require.NoError(t, err)
		}
	})
}
