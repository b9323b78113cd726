package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
)

// After an outage of the database, the rows of running processes are old until their next heartbeat.
func TestPresence_ToleratesOldRowsAfterAnOutage(t *testing.T) {
	t.Parallel()
	var p presence
	now := time.Unix(1_800_000_000, 0)
	require.True(t, p.hearsOthers(now))
	p.noteFailure(now)
	require.False(t, p.hearsOthers(now.Add(db.ProcessSilence)))
	require.True(t, p.hearsOthers(now.Add(db.ProcessSilence+time.Second)))
}
