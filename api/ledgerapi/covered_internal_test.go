package ledgerapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The test checks for every code which callers see the content of contracts.
func TestRefusals_ShowContractDetailsOnlyToReaders(t *testing.T) {
	t.Parallel()
	const marker = "777123.4567"
	callerWith := func(rights ...ledger.Right) auth.Claims { return auth.NewClaims(ledger.User{ID: "user"}, rights) }
	read := func(party ledger.Party) ledger.Right { return ledger.Right{Kind: ledger.CanReadAs, Party: party} }
	others := map[string]auth.Claims{
		"nobody": callerWith(), "reader of one": callerWith(read("alice::1220")), "reader of the other": callerWith(read("bob::1220")),
		"executor": callerWith(read("alice::1220"), ledger.Right{Kind: ledger.CanExecuteAs, Party: "bob::1220"}),
		"admin":    callerWith(ledger.Right{Kind: ledger.ParticipantAdmin}),
	}
	readers := map[string]auth.Claims{
		"reader of both": callerWith(read("alice::1220"), read("bob::1220")),
		"reader of all":  callerWith(ledger.Right{Kind: ledger.CanReadAsAnyParty}),
	}
	codes := append(fault.Codes(), fault.Code{ID: "OF_ANOTHER_VERSION", Category: 9, Tells: fault.OfContracts})
	for _, code := range codes {
		require.NotZero(t, code.Tells, "%s does not say what it tells", code.ID)
		if code.Tells == fault.OfNothing {
			require.True(t, code.Redacted(), "%s is sent with its details", code.ID)
		}
		refusal := code.New("amount %s", marker).With("amount", marker).WithResource("CONTRACT_ID", marker).
			WithHint("Pay " + marker + ".")
		completion := ledger.Completion{ActAs: []ledger.Party{"alice::1220"}}.
			Refused(ledger.Submission{ReadAs: []ledger.Party{"bob::1220"}}, refusal)
		holds := code.Tells != fault.OfRequest && code.Tells != fault.OfNothing
		for name, claims := range others {
			shown, err := json.Marshal(visibleRefusal(claims, completion))
			require.NoError(t, err)
			require.Contains(t, string(shown), code.ID)
			if holds {
				require.NotContains(t, string(shown), marker, "%s, shown to %s", code.ID, name)
			}
		}
		for name, claims := range readers {
			require.Equal(t, completion.Refusal, visibleRefusal(claims, completion), name)
		}
	}
	require.Nil(t, visibleRefusal(callerWith(), ledger.Completion{}))
}
