package endpoint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJSON_KeepsOrderOfOrdered(t *testing.T) {
	t.Parallel()
	type entry = Entry[[]string]
	content, err := JSON(struct {
		Map  Ordered[[]string] `json:"map"`
		None Ordered[[]string] `json:"none"`
	}{Map: Ordered[[]string]{entry{Key: "c", Value: []string{"<"}}, entry{Key: "a\""}, entry{Key: "b"}}})
	require.NoError(t, err)
	//nolint:testifylint // the order is what counts
	require.Equal(t, `{"map":{"c":["<"],"a\"":[],"b":[]},"none":{}}`, string(content.Body))
}

func TestEncodeBody_WritesEveryKey(t *testing.T) {
	t.Parallel()
	got, err := encodeBody(relaxed{Inners: []inner{{}}, Union: &choice{Empty: &Empty{}}, Text: "<&>"})
	require.NoError(t, err)
	//nolint:testifylint // the order of the keys and the absence of escapes are what is tested
	require.Equal(t, `{"text":"<&>","number":0,"small":0,"flag":false,"maybe":null,"list":[],`+
		`"inners":[{"text":"","maybe":null}],"map":{},"union":{"Empty":{}},"raw":null,"bytes":"","time":null,`+
		`"name":null,"message":null,"texts":{}}`, string(got))
}

func TestEncodeBody_WritesNoNullListOrMap(t *testing.T) {
	t.Parallel()
	got, err := encodeBody([]relaxed(nil))
	require.NoError(t, err)
	require.Equal(t, `[]`, string(got))

	type nested struct {
		Deep *struct {
			List []struct {
				Map map[string]string `json:"map"`
			} `json:"list"`
		} `json:"deep"`
	}
	value := nested{Deep: &struct {
		List []struct {
			Map map[string]string `json:"map"`
		} `json:"list"`
	}{}}
	got, err = encodeBody(value)
	require.NoError(t, err)
	require.JSONEq(t, `{"deep":{"list":[]}}`, string(got))
}

func TestTimestamp_WritesNoSuperfluousDigits(t *testing.T) {
	t.Parallel()
	for nanos, want := range map[int]string{
		0:           "2026-03-01T10:00:00Z",
		500_000_000: "2026-03-01T10:00:00.500Z",
		120_456_000: "2026-03-01T10:00:00.120456Z",
		1_000:       "2026-03-01T10:00:00.000001Z",
		999:         "2026-03-01T10:00:00Z",
	} {
		instant := time.Date(2026, 3, 1, 11, 0, 0, nanos, time.FixedZone("", 3600))
		require.Equal(t, want, Timestamp(instant).String())
	}
}

func TestEncodeBody_FillsValuesOfMaps(t *testing.T) {
	t.Parallel()
	type inner struct {
		List []string `json:"list"`
	}
	got, err := encodeBody(map[string]inner{"a": {}})
	require.NoError(t, err)
	require.JSONEq(t, `{"a":{"list":[]}}`, string(got))
}
