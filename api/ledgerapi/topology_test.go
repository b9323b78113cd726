package ledgerapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// hosting is the format for the hosts of the parties, or of all.
func hosting(parties ...ledger.Party) fields {
	parties = append([]ledger.Party{}, parties...) // a list in JSON, also when it is empty
	return fields{"includeTopologyEvents": fields{"includeParticipantAuthorizationEvents": fields{"parties": parties}}}
}

// allocate allocates a party over the API, for a user who gets the right to act as it.
func (b *bundle) allocate(hint, user string) ledger.Party {
	b.t.Helper()
	var allocated parties.AllocatePartyResponse
	b.Call(apitest.Admin, http.MethodPost, "/v2/parties", fields{"partyIdHint": hint, "userId": user}).OK(&allocated)
	return ledger.Party(allocated.PartyDetails.Party)
}

func TestTopology_RecordsAllocatedParties(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	carol := b.allocate("carol", "alice") // offset 1
	b.note("note")                        // 2
	dave := b.allocate("dave", "bob")     // 3
	require.Equal(t, int64(3), b.end(), "each takes an offset of its own")
	b.Call(apitest.Admin, http.MethodPost, "/v2/parties", fields{"partyIdHint": "dave"}).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Equal(t, int64(3), b.end(), "a refused allocation takes none")

	elements := list[ledgerapi.JsGetUpdatesResponse](b, "alice", updatesPath+quick, fields{"updateFormat": hosting(carol)})
	require.Len(t, elements, 2)
	first := elements[0].Update.TopologyTransaction.Value
	require.Equal(t, int64(1), first.Offset)
	require.Equal(t, b.Node.SynchronizerID, first.SynchronizerID)
	require.Regexp(t, "^1220[0-9a-f]{64}$", first.UpdateID)
	require.Equal(t, ledgerapi.ParticipantAuthorizationAdded{
		PartyID: string(carol), ParticipantID: b.Node.ParticipantID,
		ParticipantPermission: v2.PermissionSubmission,
	}, first.Events[0].Event.ParticipantAuthorizationAdded.Value)
	require.Equal(t, int64(3), elements[1].Update.OffsetCheckpoint.Value.Offset)

	t.Run("among transactions, in order", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		format := updateFormatOf("ACS_DELTA", byParty(b.alice)).with(hosting())
		b.Call("alice", http.MethodPost, updatesPath+quick, fields{"updateFormat": format}).
			Refused(http.StatusForbidden, "NA")
		everything := updateFormatOf("ACS_DELTA", fields{"filtersForAnyParty": fields{}}).with(hosting())
		elements := list[ledgerapi.JsGetUpdatesResponse](b, "auditor", updatesPath+quick, fields{"updateFormat": everything})
		require.NotNil(t, elements[0].Update.TopologyTransaction)
		require.NotNil(t, elements[1].Update.Transaction)
		require.Equal(t, string(dave),
			elements[2].Update.TopologyTransaction.Value.Events[0].Event.ParticipantAuthorizationAdded.Value.PartyID)
		both := list[ledgerapi.JsGetUpdatesResponse](b, "alice", updatesPath+quick,
			fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice)).with(hosting(carol))})
		require.Len(t, both, 3)
	})
	t.Run("by offset and by id, if requested", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for path, body := range map[string]fields{
			"/v2/updates/update-by-offset": {"offset": 1}, "/v2/updates/update-by-id": {"updateId": first.UpdateID},
		} {
			var found ledgerapi.JsGetUpdateResponse
			b.Call("alice", http.MethodPost, path, body.with(fields{"updateFormat": hosting(carol)})).OK(&found)
			require.Equal(t, first, found.Update.TopologyTransaction.Value)
			for _, format := range []fields{hosting(b.alice), updateFormatOf("ACS_DELTA", byParty(carol))} {
				b.Call("alice", http.MethodPost, path, body.with(fields{"updateFormat": format})).
					Refused(http.StatusNotFound, "UPDATE_NOT_FOUND")
			}
		}
		b.Call("alice", http.MethodPost, "/v2/updates/transaction-by-offset",
			fields{"offset": 1, "requestingParties": []any{carol}}).Refused(http.StatusNotFound, "UPDATE_NOT_FOUND")
	})
	t.Run("not for older requests", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, _ := b.transactions("bob", updatesPath+quick, fields{"filter": byParty(dave)})
		require.Empty(t, found)
		trees := list[ledgerapi.JsGetUpdateTreesResponse](b, "bob", "/v2/updates/trees"+quick,
			fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(dave)).with(hosting(dave))})
		require.Len(t, trees, 1)
	})
}
