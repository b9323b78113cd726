package client

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadiness_ReadsEveryState(t *testing.T) {
	t.Parallel()
	parts, known := readiness("[-] ledger failed (not ready: temporal)\n[+] database ok\n" +
		"[-] temporal failed (it says (twice): away) [FlorinTemporal]\n[?] worker unknown (its check needs Temporal)\n" +
		"[!] clock: an hour [of ten] ahead [FlorinClock]\nreadyz check failed\n")
	require.True(t, known)
	require.Equal(t, []Part{
		{Name: "database", State: PartOK},
		{Name: "temporal", State: PartFails, Why: "it says (twice): away", Alarm: "FlorinTemporal"},
		{Name: "worker", State: PartUnknown, Why: "its check needs Temporal"},
		{Name: "clock", State: PartWarns, Why: "an hour [of ten] ahead", Alarm: "FlorinClock"},
	}, parts)
	_, known = readiness("<html>")
	require.False(t, known)
}
