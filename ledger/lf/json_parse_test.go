package lf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// parseByLibrary is what parseJSON must do.
func parseByLibrary(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errMore
	}
	return value, nil
}

const amuletPayload = `{"dso":"DSO::1220aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","owner":` +
	`"alice::1220bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","amount":{"initialAmount":` +
	`"10.0000000000","createdAt":{"number":"17"},"ratePerRound":{"rate":"0.0000190259"}}}`

func FuzzParseJSON_ReadsAsTheLibrary(f *testing.F) {
	for _, text := range []string{
		amuletPayload, `[1,-0.5e+7,"a\u0000\ud800",null,true,{}]`, `{"a":1,"a":[2]}`, "\"\xff\"", `{"a":1}x`, `[1,]`, ``, ` 7 `,
		`{"\u0061":1,"a":2}`, `01`, `"\ud83d\ude00\ud83d"`, `[[[[]]]]`, `{"a"}`, `nul`, `1 2`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		want, wanted := parseByLibrary(raw)
		got, err := parseJSON(raw)
		require.Equal(t, wanted == nil, err == nil, "%v, %v", wanted, err)
		require.Equal(t, errors.Is(wanted, errMore), errors.Is(err, errMore))
		require.Equal(t, want, got)
	})
}

func BenchmarkParseJSON(b *testing.B) {
	for b.Loop() {
		if _, err := parseJSON([]byte(amuletPayload)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseJSONByLibrary(b *testing.B) {
	for b.Loop() {
		if _, err := parseByLibrary([]byte(amuletPayload)); err != nil {
			b.Fatal(err)
		}
	}
}
