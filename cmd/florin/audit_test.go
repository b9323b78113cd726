package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

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
