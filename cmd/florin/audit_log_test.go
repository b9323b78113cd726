package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAuditLog_NamesItsKinds(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `identity-provider,\s*package,\s*setting,\s*webhook\.`, helpOf(t, "audit", "log", "--help"))
	_, err := newParser().Parse([]string{"audit", "log", "--kind", "bogus"})
	require.ErrorContains(t, err, `"webhook"`)
	require.NotContains(t, err.Error(), `""`)
}

func TestTimeBefore_SaysWhichFormsItTakes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"": "", "24h": "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z": "2026-03-01T10:00:00Z",
	} {
		got, err := timeBefore("since", text, now)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := timeBefore("since", "yesterday", now)
	require.ErrorContains(t, err, `--since="yesterday": use a duration such as 24h, or a time such as 2026-03-01T10:00:00Z`)
}
