package walletapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/apitest"
)

// burners are ordinary users who try to make the operator pay for many preapprovals.
type burners struct {
	bank

	operator *apitest.Wallet
	wallets  []*apitest.Wallet
	fresh    int
}

const (
	proposalName    = "#splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal"
	preapprovalName = "#splice-amulet:Splice.AmuletRules:TransferPreapproval"
)

// TestPreapprovalFee_BoundsWhatUsersCostTheOperator has users make random requests that may cost the operator a
// preapproval. Their operator accepts every proposal faster than automation would.
func TestPreapprovalFee_BoundsWhatUsersCostTheOperator(t *testing.T) {
	t.Parallel()
	const limit = 4
	b := &burners{bank: newBank(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) {
		s.MaxProvidedParties = limit
	}})}
	b.operator = b.OperatorWallet()
	b.operator.Tap("100000")
	b.wallets = []*apitest.Wallet{b.alice, b.bob, b.carol}
	before := b.burned()
	random := rand.New(rand.NewPCG(7, 7))
	play := func(moves ...func(*apitest.Wallet)) {
		for range 30 {
			moves[random.IntN(len(moves))](b.wallets[random.IntN(len(b.wallets))])
		}
	}
	play(b.ask, b.cancel, b.cancelOnLedger, b.propose) // fewer than the limit, again and again
	play(b.ask, b.cancel, b.cancelOnLedger, b.propose, b.proposeOther, b.register)
	fee := decimal.MustParse("49.33") // 90 days of a US dollar a year, at 0.005 US dollars
	most, err := fee.Mul(decimal.FromInt(limit))
	require.NoError(t, err)
	spent, err := b.burned().Sub(before)
	require.NoError(t, err)
	require.LessOrEqual(t, spent.Cmp(most), 0, "the operator paid %s", spent)
	least, err := decimal.MustParse("49").Mul(decimal.FromInt(limit))
	require.NoError(t, err)
	require.GreaterOrEqual(t, spent.Cmp(least), 0, "they reach the limit; they cost %s", spent)
	b.auditIsClean()
}

// burned is the total of burned coin.
func (b *burners) burned() decimal.Decimal {
	b.t.Helper()
	tapped := decimal.MustParse("100000")
	held := decimal.Decimal{}
	for _, amulet := range activeOf[coin.Amulet](b.t, b.Server, b.operator.Party) {
		sum, err := held.Add(amulet.Amount.InitialAmount)
		require.NoError(b.t, err)
		held = sum
	}
	burned, err := tapped.Sub(held)
	require.NoError(b.t, err)
	return burned
}

// answered requires success or a refusal, and no failure.
func (b *burners) answered(answer apitest.Answer) {
	b.t.Helper()
	require.Less(b.t, answer.Status, 500, answer.Text)
}

func (b *burners) ask(w *apitest.Wallet) {
	b.answered(b.Call(w.User, http.MethodPost, ownPreapproval, nil))
}

func (b *burners) cancel(w *apitest.Wallet) {
	b.answered(b.Call(w.User, http.MethodDelete, ownPreapproval, nil))
}

func (b *burners) cancelOnLedger(w *apitest.Wallet) {
	for id, payload := range activeOf[coin.TransferPreapproval](b.t, b.Server, w.Party) {
		if payload.Receiver == w.Party {
			w.Exercise(preapprovalName, string(id), "TransferPreapproval_Cancel", map[string]any{"p": w.Party})
		}
	}
}

func (b *burners) propose(w *apitest.Wallet) {
	w.Create(proposalName, map[string]any{
		"receiver": w.Party, "provider": b.Node.Operator, "expectedDso": b.Node.DSO,
	})
	b.acceptAll()
}

// proposeOther proposes for a party that the user allocates.
func (b *burners) proposeOther(w *apitest.Wallet) {
	b.fresh++
	var allocated struct {
		PartyDetails struct{ Party ledger.Party }
	}
	answer := b.Call(w.User, http.MethodPost, "/v2/parties", map[string]any{
		"partyIdHint": fmt.Sprint("self-", b.fresh), "userId": w.User,
	})
	b.answered(answer)
	if answer.Status != http.StatusOK {
		return
	}
	answer.OK(&allocated)
	b.propose(b.WalletOf(w.User, allocated.PartyDetails.Party))
}

func (b *burners) register(*apitest.Wallet) {
	b.fresh++
	name := fmt.Sprint("fresh-", b.fresh)
	var registered struct {
		PartyID ledger.Party `json:"party_id"`
	}
	b.Call(name, http.MethodPost, "/v0/register", nil).OK(&registered)
	b.wallets = append(b.wallets, b.WalletOf(name, registered.PartyID))
}

// acceptAll has the operator accept every proposal.
func (b *burners) acceptAll() {
	rules, round := b.operator.Rules()
	for id := range activeOf[walletapp.TransferPreapprovalProposal](b.t, b.Server, b.operator.Party) {
		inputs := []any{}
		for amulet, payload := range activeOf[coin.Amulet](b.t, b.Server, b.operator.Party) {
			if payload.Owner == b.operator.Party {
				inputs = append(inputs, map[string]any{"tag": "InputAmulet", "value": amulet})
			}
		}
		answer := b.operator.Try(map[string]any{"ExerciseCommand": map[string]any{
			"templateId": proposalName, "contractId": id, "choice": "TransferPreapprovalProposal_Accept",
			"choiceArgument": map[string]any{
				"context": map[string]any{
					"amuletRules": rules.Contract.ContractID,
					"context": map[string]any{
						"openMiningRound": round.Contract.ContractID, "issuingMiningRounds": []any{}, "validatorRights": []any{},
						"featuredAppRight": nil,
					},
				},
				"inputs": inputs, "expiresAt": time.Now().Add(90 * 24 * time.Hour),
			},
		}}, rules.Disclose(), round.Disclose())
		b.answered(answer)
		if answer.Status != http.StatusOK {
			require.Contains(b.t, answer.Text, "PREAPPROVAL_NOT_PROVIDED")
		}
	}
}

// The operator has paid for a preapproval even if its receiver cancels it: only the operator can delete the entry.
func TestPreapproval_OperatorPaysOncePerReceiver(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	remove := func(user, path string) apitest.Answer { return b.Call(user, http.MethodDelete, path, nil) }
	require.Equal(t, http.StatusOK, remove("bob", ownPreapproval).Status)
	fails(t, b.post(b.bob, ownPreapproval, nil), http.StatusBadRequest,
		"The operator has paid for a preapproval of "+string(b.bob.Party)+" until ")
	fails(t, b.Call(apitest.LedgerUser, http.MethodPost, proposalPath, map[string]any{"user_party_id": b.bob.Party}),
		http.StatusBadRequest, "PREAPPROVAL_NOT_PROVIDED")
	fails(t, remove("bob", byParty+string(b.bob.Party)), http.StatusForbidden, "")
	fails(t, b.post(b.bob, ownPreapproval, nil), http.StatusBadRequest, "has paid for a preapproval")

	given := remove(apitest.LedgerUser, byParty+string(b.bob.Party))
	require.Equal(t, http.StatusOK, given.Status, given.Text)
	fails(t, remove(apitest.LedgerUser, byParty+string(b.bob.Party)), http.StatusNotFound,
		"No TransferPreapproval found for party: "+string(b.bob.Party))
	b.preapprove(b.bob)
}

// Concurrent requests, and a setup proposal, cost the operator one preapproval.
func TestPreapproval_ConcurrentRequestsMakeOne(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	operator := b.OperatorWallet()
	operator.Tap("1000")
	const many = 6
	answers := make([]apitest.Answer, many)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.Call("bob", http.MethodPost, ownPreapproval, nil) })
	}
	group.Wait()
	made, ids := 0, map[string]bool{}
	for _, answer := range answers {
		var told struct {
			ID string `json:"transfer_preapproval_contract_id"`
		}
		require.Contains(t, []int{http.StatusOK, http.StatusConflict}, answer.Status, answer.Text)
		require.NoError(t, json.Unmarshal([]byte(answer.Text), &told), answer.Text)
		ids[told.ID] = true
		if answer.Status == http.StatusOK {
			made++
		}
	}
	require.Equal(t, 1, made)
	require.Len(t, ids, 1, "all get the same one")
	require.Len(t, activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party), 1)

	b.Call(apitest.LedgerUser, http.MethodPost, proposalPath, map[string]any{"user_party_id": b.carol.Party}).OK(nil)
	fails(t, b.post(b.carol, ownPreapproval, nil), http.StatusBadRequest, "PREAPPROVAL_NOT_PROVIDED")
}

// The operator's cancellation cancels all its preapprovals for a party.
func TestCancelPreapproval_CancelsAllTheOperatorProvides(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	expired := b.createPreapproval(b.bob.Party, b.Node.Operator, time.Now().Add(-time.Hour))
	b.preapprove(b.bob)
	_, err := b.DB.ForgetProvidedPreapproval(t.Context(), b.bob.Party, nil)
	require.NoError(t, err)
	b.createPreapproval(b.bob.Party, b.Node.Operator, time.Now().Add(time.Hour))
	theirs := b.createPreapproval(b.bob.Party, b.carol.Party, time.Now().Add(time.Hour))
	require.Len(t, activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party), 4)
	require.Equal(t, http.StatusOK,
		b.Call(apitest.LedgerUser, http.MethodDelete, byParty+string(b.bob.Party), nil).Status)
	left := activeOf[coin.TransferPreapproval](t, b.Server, b.bob.Party)
	require.Len(t, left, 2)
	require.Contains(t, left, expired)
	require.Contains(t, left, theirs)
}
