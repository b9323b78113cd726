package registryapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// plantContracts creates more copies of a contract than a list shows.
func plantContracts(t *testing.T, s *apitest.Server, id string) {
	t.Helper()
	const many = 1001
	one, ok, err := s.DB.NetworkContract(t.Context(), ledger.ContractID(id))
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, s.DB.InTx(t.Context(), func(tx *db.Tx) error {
		head, err := tx.LockHead(t.Context())
		if err != nil {
			return err
		}
		head.Offset++
		entries := db.Entries{Head: head}
		for i := range many {
			like := one.Contract
			like.ID = ledger.ContractID(fmt.Sprintf("00%032x%032x", head.Offset, i))
			entries.Created = append(entries.Created, db.NewContract{Contract: like, Offset: head.Offset, NodeID: int32(i)})
		}
		return tx.Append(t.Context(), entries)
	}))
}

// Many contracts, of several parties or of one, hide no preapproval and no right.
func TestScanLists_ManyContractsHideNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob, eve := s.Wallet("alice"), s.Wallet("bob"), s.Wallet("eve")
	right := func(wallet *apitest.Wallet) string {
		var answer struct {
			Right struct {
				ContractID string `json:"contract_id"`
			} `json:"featured_app_right"`
		}
		s.Call("", http.MethodGet, "/api/scan/v0/featured-apps/"+string(wallet.Party), nil).OK(&answer)
		return answer.Right.ContractID
	}
	feature(t, eve)
	plantContracts(t, s, right(eve))
	plantContracts(t, s, preapprove(t, s, bob, eve)) // bob sees them all, as their provider
	feature(t, bob)
	own := preapprove(t, s, bob, bob)

	var featured struct {
		Apps []struct {
			ContractID string `json:"contract_id"`
		} `json:"featured_apps"`
	}
	s.Call("", http.MethodGet, "/api/scan/v0/featured-apps", nil).OK(&featured)
	require.Len(t, featured.Apps, 2)
	require.Equal(t, right(eve), featured.Apps[0].ContractID)
	require.Equal(t, right(bob), featured.Apps[1].ContractID)
	var found struct {
		TransferPreapproval apitest.Shown `json:"transfer_preapproval"`
	}
	s.Call("", http.MethodGet, "/api/scan/v0/transfer-preapprovals/by-party/"+string(bob.Party), nil).OK(&found)
	require.Equal(t, own, found.TransferPreapproval.Contract.ContractID)
	answer := askFactory(s, transfer(s, alice.Party, bob.Party, "5"))
	require.Equal(t, "direct", answer.TransferKind)
	require.Equal(t, own, answer.ChoiceContext.value(t, "transfer-preapproval"))
	require.Equal(t, right(bob), answer.ChoiceContext.value(t, "featured-app-right"))
}
