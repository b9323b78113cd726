package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// People at a terminal see how far a long audit is; logs and pipes get no such lines.
func TestAnAuditShowsItsProgressAtATerminal(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var seen bytes.Buffer
	tell, end := auditProgress(&seen, true, func() time.Time { return now })
	tell(100, 1000)
	tell(200, 1000)
	now = now.Add(time.Second)
	tell(300, 1000)
	tell(1000, 1000)
	end()
	const clear = "\r\x1b[K"
	require.Equal(t, clear+"florin: audited 100 of 1000 offsets"+clear+"florin: audited 300 of 1000 offsets"+
		clear+"florin: audited 1000 offsets; comparing all contracts and lists"+clear, seen.String())

	seen.Reset()
	tell, end = auditProgress(&seen, false, time.Now)
	tell(100, 1000)
	end()
	require.Empty(t, seen.String())
}
