package walletapi_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// A payment takes at most a hundred holdings. If it needs more, each endpoint first merges holdings; if all of them are
// not enough, it fails without a merge.
func TestMerge_JoinsHoldingsBeforeLargePayment(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	const many = 104
	for range many {
		b.tap(b.alice, "0.005")
	}
	held := func() (count int) {
		for _, c := range activeOf[coin.Amulet](t, b.Server, b.alice.Party) {
			if c.Owner == b.alice.Party {
				count++
			}
		}
		return count
	}
	require.Equal(t, many, held())
	send := func(amount, id string) apitest.Answer {
		return b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
			"receiver_party_id": b.bob.Party, "amount": amount, "deduplication_id": id,
		})
	}
	fails(t, send("104.0000000001", "too much"), http.StatusBadRequest, "insufficient-funds")
	require.Equal(t, many, held(), "nothing is merged in vain")
	sending := func(amount string) map[string]any {
		return map[string]any{"receiver_party_id": b.bob.Party, "amount": amount, "deduplication_id": "dry"}
	}
	const sends = "/v0/wallet/transfer-preapproval/send"
	_, shown := tryOut(t, b.Server, b.alice.User, sends, sending("104.0000000001"))
	require.Contains(t, shown.Refusal.Error, "insufficient-funds")
	require.Zero(t, shown.Merges)
	_, shown = tryOut(t, b.Server, b.alice.User, sends, sending("99.5"))
	require.True(t, shown.WouldSucceed)
	require.Zero(t, shown.Merges)
	answer, shown := tryOut(t, b.Server, b.alice.User, sends, sending("103.5"))
	require.True(t, shown.WouldSucceed, answer.Text)
	require.EqualValues(t, 1, shown.Merges)
	require.Equal(t, "preapproval", *shown.Path)
	require.Equal(t, "103.5000000000", shown.Coin.Amulet.String())

	send("103.5", "enough").OK(nil)
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "103.5000000000", unlocked)
	unlocked, _ = b.balance(b.alice)
	require.Equal(t, "0.5000000000", unlocked)

	for range many {
		b.tap(b.alice, "0.005")
	}
	locking := offerOf(b.carol.Party, "locked")
	locking["amount"] = "104.5"
	answer, shown = tryOut(t, b.Server, b.alice.User, transfers, locking)
	require.True(t, shown.WouldSucceed, answer.Text)
	require.EqualValues(t, 1, shown.Merges)
	require.Equal(t, "two-step", *shown.Path)
	require.Equal(t, "104.5000000000", shown.Coin.Amulet.String())
	b.post(b.alice, transfers, locking).OK(nil)
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "0.0000000000", unlocked)
	require.Equal(t, "104.5000000000", locked)
}

// Automation also merges coin before it pays, and a dry run counts these merges.
func TestDryRun_CountsMergesOfAutomation(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	for range 104 {
		b.tap(b.alice, "0.033") // 6.6 coin; a purchase costs 666.8, and a hundred of them are 660
	}
	answer, shown := tryOut(t, b.Server, b.alice.User, trafficPath, order(b.Server, b.alice, "dear"))
	require.True(t, shown.WouldSucceed, answer.Text)
	require.EqualValues(t, 1, shown.Merges)
	require.Equal(t, "666.8000000000", shown.Coin.Amulet.String())
	offering := offerOf(b.bob.Party, "large")
	offering["amount"] = "686.4"
	answer, shown = tryOut(t, b.Server, b.alice.User, "/v0/wallet/transfer-offers", offering)
	require.True(t, shown.WouldSucceed, answer.Text)
	require.Zero(t, shown.Merges, "the receiver has not decided yet")
	offering["amount"] = "686.5"
	_, shown = tryOut(t, b.Server, b.alice.User, "/v0/wallet/transfer-offers", offering)
	require.Equal(t, "out of funds (missing 26.5 CC)", shown.Refusal.Error, "no merge makes enough of it")
	require.True(t, shown.Refusal.Later)
}

// A preapproval that the operator pays for says nothing of how the operator's coin is scattered.
//
// contract: preapproval-preview
func TestDryRun_OmitsMergesOfOtherPayer(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	operator := b.OperatorWallet()
	for range 104 {
		operator.Tap("0.48") // a preapproval costs 49.33, and a hundred of them are 48
	}
	const path = "/v0/wallet/transfer-preapproval"
	answer, shown := tryOut(t, b.Server, b.bob.User, path, nil)
	require.True(t, shown.WouldSucceed, answer.Text)
	require.Zero(t, shown.Merges)
	require.Equal(t, "0.0000000000", shown.Coin.Amulet.String())
	b.post(b.bob, path, nil).OK(nil)
	for range 104 {
		operator.Tap("0.48")
	}
	_, shown = tryOut(t, b.Server, operator.User, path, nil)
	require.True(t, shown.WouldSucceed)
	require.EqualValues(t, 1, shown.Merges, "the operator's own")
}

// Token standard transfers use coin with an expired lock like other coin, also in merges.
func TestMerge_UsesCoinWithExpiredLock(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.preapprove(b.bob)
	over := lf.TimestampOf(time.Now().Add(-time.Hour))
	for range 60 {
		apitest.Create(b.Server, coin.LockedAmulet{
			Amulet: coin.Amulet{DSO: b.Node.DSO, Owner: b.alice.Party, Amount: coin.ExpiringAmount{
				InitialAmount: decimal.MustParse("1"), RatePerRound: coin.RatePerRound{Rate: decimal.MustParse("0.00001")},
			}},
			Lock: coin.TimeLock{Holders: []ledger.Party{b.Node.DSO}, ExpiresAt: over},
		}, b.Node.DSO, b.alice.Party)
	}
	for range 60 {
		b.tap(b.alice, "0.005") // one coin
	}
	paying := offerOf(b.bob.Party, "scattered")
	paying["amount"] = "120.1"
	fails(t, b.post(b.alice, transfers, paying), http.StatusBadRequest, "insufficient-funds")
	paying["amount"], paying["tracking_id"] = "119.5", "enough"
	answer, shown := tryOut(t, b.Server, b.alice.User, transfers, paying)
	require.True(t, shown.WouldSucceed, answer.Text)
	require.EqualValues(t, 1, shown.Merges)
	require.Equal(t, "59.5000000000", shown.Coin.Amulet.String(), "of unlocked coin")
	b.post(b.alice, transfers, paying).OK(nil)
	unlocked, still := b.balance(b.alice)
	require.Equal(t, "0.5000000000", unlocked)
	require.Equal(t, "0.0000000000", still)
}

// Concurrent requests of one wallet that need the same merge all succeed.
func TestMerge_ConcurrentPaymentsSucceed(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Once: true})
	b.preapprove(b.bob)
	for range 220 {
		b.tap(b.alice, "0.005")
	}
	const parallel = 2
	answers := make([]apitest.Answer, parallel)
	var all sync.WaitGroup
	for i := range parallel {
		all.Go(func() {
			answers[i] = b.post(b.alice, "/v0/wallet/transfer-preapproval/send", map[string]any{
				"receiver_party_id": b.bob.Party, "amount": "105.5", "deduplication_id": strconv.Itoa(i),
			})
		})
	}
	all.Wait()
	for _, answer := range answers {
		answer.OK(nil)
	}
	unlocked, _ := b.balance(b.bob)
	require.Equal(t, "211.0000000000", unlocked)
}
