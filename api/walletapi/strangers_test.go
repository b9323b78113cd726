package walletapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// strangerCase is a request of Alice under an id that she chose.
type strangerCase struct {
	// ask is Alice's request, which must succeed whatever strangers did; a repeat gets the same answer, or is refused
	// as a duplicate.
	ask func() apitest.Answer
	// told reads the answers that show Alice the result.
	told func() []apitest.Answer
	// squat uses the same id in requests of a stranger to Alice, to her receiver, and at the receiver.
	squat func()
}

// TestNamedChange_StrangersDoNotAffectAnswers has a stranger use the ids of Alice's requests before and after her: she
// gets the same answers as without the stranger.
func TestNamedChange_StrangersDoNotAffectAnswers(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]func(b bank) strangerCase{
		"transfers by the token standard": transferOfAlice, "allocations": allocationOfAlice,
		"purchases of traffic": trafficOfAlice, "sends through preapprovals": sendOfAlice,
		"requests of apps": paymentOfAlice, "subscriptions": subscriptionOfAlice,
		"commands of the ledger API": commandOfAlice,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t, apitest.Options{})
			for _, w := range []*apitest.Wallet{b.alice, b.bob, b.carol} {
				b.tap(w, "10")
			}
			b.preapprove(b.bob)
			a := kind(b)
			a.squat()
			first := a.ask()
			first.OK(nil)
			answers := func() (texts []string) {
				for _, answer := range a.told() {
					texts = append(texts, fmt.Sprint(answer.Status, answer.Text))
				}
				return texts
			}
			told := answers()
			a.squat()
			require.Equal(t, told, answers())
			again := a.ask()
			if again.Status == http.StatusOK {
				require.Equal(t, first.Text, again.Text)
			} else { // it is there already, or what was accepted is no more
				require.Contains(t, []int{http.StatusConflict, http.StatusNotFound}, again.Status, again.Text)
			}
			require.Equal(t, told, answers())
		})
	}
}

const sharedID = "inv-1"

func transferOfAlice(b bank) strangerCase {
	return strangerCase{
		ask: func() apitest.Answer { return b.post(b.alice, transfers, offerOf(b.bob.Party, sharedID)) },
		told: func() []apitest.Answer {
			return []apitest.Answer{b.get(b.alice, "/v0/wallet/balance")}
		},
		squat: func() {
			b.post(b.carol, transfers, offerOf(b.alice.Party, sharedID)).OK(nil)
			b.post(b.bob, transfers, offerOf(b.carol.Party, sharedID)).OK(nil)
		},
	}
}

func allocationOfAlice(b bank) strangerCase {
	return strangerCase{
		ask:  func() apitest.Answer { return b.post(b.alice, allocations, b.allocation("leg")) },
		told: func() []apitest.Answer { return []apitest.Answer{b.get(b.alice, allocations)} },
		squat: func() {
			b.post(b.carol, allocations, b.allocation("leg")).OK(nil)
			b.post(b.bob, allocations, set(b.allocation("leg"), "transfer_leg",
				map[string]any{"receiver": b.alice.Party, "amount": "25"})).OK(nil)
		},
	}
}

func trafficOfAlice(b bank) strangerCase {
	return strangerCase{
		ask: func() apitest.Answer {
			return b.post(b.alice, trafficPath, order(b.Server, b.alice, sharedID))
		},
		told: func() []apitest.Answer {
			return []apitest.Answer{b.post(b.alice, trafficPath+"/"+sharedID+"/status", nil)}
		},
		squat: func() {
			for _, w := range []*apitest.Wallet{b.bob, b.carol} {
				answer := b.post(w, trafficPath, order(b.Server, b.alice, sharedID))
				require.Contains(b.t, []int{http.StatusOK, http.StatusConflict}, answer.Status, answer.Text)
			}
		},
	}
}

func sendOfAlice(b bank) strangerCase {
	const path = "/v0/wallet/transfer-preapproval/send"
	send := map[string]any{"receiver_party_id": b.bob.Party, "amount": "10", "deduplication_id": sharedID}
	return strangerCase{
		ask:   func() apitest.Answer { return b.post(b.alice, path, send) },
		told:  func() []apitest.Answer { return []apitest.Answer{b.get(b.alice, "/v0/wallet/balance")} },
		squat: func() { b.post(b.carol, path, send).OK(nil) },
	}
}

func paymentOfAlice(b bank) strangerCase {
	id := b.PaymentRequest(b.alice.Party, b.bob.Party)
	return strangerCase{
		ask: func() apitest.Answer { return b.post(b.alice, paymentRequests+"/"+id+"/accept", nil) },
		told: func() []apitest.Answer {
			return []apitest.Answer{b.get(b.alice, paymentRequests), b.get(b.alice, "/v0/wallet/accepted-app-payments")}
		},
		squat: func() {
			b.unauthorized(payments.AppPaymentRequest{
				Sender: b.alice.Party, Provider: b.carol.Party, DSO: b.Node.DSO,
				ExpiresAt:       lf.TimestampOf(time.Now().Add(time.Hour)),
				ReceiverAmounts: []payments.ReceiverAmount{{Receiver: b.carol.Party, Amount: tenCoins}}, Description: "a ride",
			})
			for _, answer := range []string{"/accept", "/reject"} {
				fails(b.t, b.post(b.carol, paymentRequests+"/"+id+answer, nil), http.StatusNotFound, "Contract id not found")
			}
		},
	}
}

func subscriptionOfAlice(b bank) strangerCase {
	id := b.SubscriptionRequest(b.alice.Party, b.bob.Party)
	return strangerCase{
		ask: func() apitest.Answer { return b.post(b.alice, subscriptionRequests+"/"+id+"/accept", nil) },
		told: func() []apitest.Answer {
			return []apitest.Answer{
				b.get(b.alice, subscriptionRequests), b.get(b.alice, "/v0/wallet/subscription-initial-payments"),
			}
		},
		squat: func() {
			b.unauthorized(payments.SubscriptionRequest{
				SubscriptionData: payments.SubscriptionData{
					Sender: b.alice.Party, Receiver: b.carol.Party, Provider: b.carol.Party, DSO: b.Node.DSO, Description: "news",
				},
				PayData: payments.SubscriptionPayData{
					PaymentAmount: tenCoins, PaymentInterval: lf.RelTimeOf(time.Hour), PaymentDuration: lf.RelTimeOf(time.Minute),
				},
			})
			for _, answer := range []string{"/accept", "/reject"} {
				fails(b.t, b.post(b.carol, subscriptionRequests+"/"+id+answer, nil), http.StatusNotFound,
					"Contract id not found")
			}
		},
	}
}

var tenCoins = payments.PaymentAmount{Amount: decimal.MustParse("10"), Unit: payments.AmuletUnit}

// unauthorized has Carol try to create a contract that needs Alice's signature.
func (b bank) unauthorized(payload any) {
	b.t.Helper()
	name, argument := "", []byte(nil)
	var err error
	switch payload := payload.(type) {
	case payments.AppPaymentRequest:
		name = "#splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest"
		argument, err = ledger.Encode(b.Packages, payload)
	case payments.SubscriptionRequest:
		name = "#splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest"
		argument, err = ledger.Encode(b.Packages, payload)
	}
	require.NoError(b.t, err)
	b.carol.Try(map[string]any{"CreateCommand": map[string]any{
		"templateId": name, "createArguments": json.RawMessage(argument),
	}}).Refused(http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
}

func commandOfAlice(b bank) strangerCase {
	submit := func(w *apitest.Wallet) apitest.Answer {
		return b.Call(w.User, http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
			"commandId": sharedID, "submissionId": sharedID, "actAs": []ledger.Party{w.Party},
			"commands": []any{map[string]any{"CreateCommand": map[string]any{
				"templateId": apitest.NoteTemplate, "createArguments": map[string]any{
					"owner": w.Party, "readers": []ledger.Party{b.alice.Party}, "label": uuid.NewString(), "amount": "1",
				},
			}}},
		})
	}
	return strangerCase{
		ask: func() apitest.Answer { return submit(b.alice) },
		told: func() []apitest.Answer {
			return []apitest.Answer{b.post(b.alice, "/v2/commands/completions?limit=1", map[string]any{
				"parties": []ledger.Party{b.alice.Party},
			})}
		},
		squat: func() {
			for _, w := range []*apitest.Wallet{b.bob, b.carol} {
				require.Contains(b.t, []int{http.StatusOK, http.StatusConflict}, submit(w).Status)
			}
		},
	}
}

// Nonces belong to their sender: transfer commands of others, and commands in its name without its signature, change
// neither its counter nor the status of its own commands.
func TestNonce_BelongsToSender(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	s.OperatorWallet().Tap("1000")
	sender, stranger, receiver := newOutsider(t, s, "sender"), newOutsider(t, s, "mallory"), newOutsider(t, s, "receiver")
	for _, o := range []*outsider{sender, stranger, receiver} {
		o.accept(o.propose())
	}
	sender.receive("100.0")
	stranger.receive("100.0")
	send := func(from ledger.Party) object {
		return object{
			"sender_party_id": from, "receiver_party_id": receiver.id, "amount": "10", "nonce": 0,
			"expires_at": time.Now().Add(time.Hour),
		}
	}
	squat := func() {
		stranger.post(submitSend, stranger.submission(stranger.prepare(prepareSend, send(stranger.id))))
		forged := stranger.submission(stranger.prepare(prepareSend, send(sender.id)))
		for _, party := range []ledger.Party{sender.id, stranger.id} {
			forged["submission"].(object)["party_id"] = party
			answer := stranger.post(submitSend, forged)
			require.GreaterOrEqual(t, answer.Status, http.StatusBadRequest, answer.Text)
		}
	}
	told := func() []string {
		var texts []string
		for _, path := range []string{
			"/v0/scan-proxy/transfer-command-counter/" + string(sender.id),
			"/v0/scan-proxy/transfer-command/status?nonce=0&sender=" + url.QueryEscape(string(sender.id)),
		} {
			answer := sender.get(path)
			texts = append(texts, fmt.Sprint(answer.Status, answer.Text))
		}
		return texts
	}
	before := told()
	squat()
	require.Equal(t, before, told(), "no nonce of the sender's is used")
	sender.post(submitSend, sender.submission(sender.prepare(prepareSend, send(sender.id)))).OK(nil)
	sent := told()
	require.NotEqual(t, before, sent)
	squat()
	require.Equal(t, sent, told())
}
