package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDatabase_TellsWhichSettingNamedIt(t *testing.T) {
	for _, test := range []struct {
		says        string
		environment map[string]string
		arguments   []string
	}{
		{" (--database-url)", nil, []string{"migrate", "--database-url", "postgres://x"}},
		{" (--database-url-file=/run/url)", nil, []string{"migrate", "--database-url-file", "/run/url"}},
		{" (FLORIN_DATABASE_URL)", map[string]string{"FLORIN_DATABASE_URL": "postgres://x"}, []string{"audit"}},
		{
			" (FLORIN_DATABASE_URL_FILE=/run/url)",
			map[string]string{"FLORIN_DATABASE_URL_FILE": "/run/url"},
			[]string{"worker"},
		},
		{"", nil, []string{"audit"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			for name, value := range test.environment {
				t.Setenv(name, value)
			}
			parsed, err := parse(test.arguments)
			require.NoError(t, err)
			require.Equal(t, test.says, howGiven(parsed, "database-url"))
		})
	}
}
