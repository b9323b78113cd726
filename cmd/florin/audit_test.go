package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

func TestAudit_ShowsProgressAtATerminal(t *testing.T) {
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

func TestAudit_ComparesThePrintedHead(t *testing.T) {
	t.Parallel()
	url := recordWith(t)
	head, err := dbtest.Open(t, url).Head(t.Context())
	require.NoError(t, err)
	command := auditRecordCommand{
		recordPlace: placeOf(url), Head: &db.ChainHead{Offset: head.Offset, Hash: head.Hash},
	}
	require.NoError(t, command.Run(t.Context()))
	command.Head.Hash[0]++
	require.ErrorContains(t, command.Run(t.Context()), "the record breaks rules (findings: 1)")
	command.Offset = int64(head.Offset) - 1
	require.ErrorContains(t, command.Run(t.Context()), "leave --offset out")
}
