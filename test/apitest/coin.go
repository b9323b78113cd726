package apitest

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/node/bootstrap"
)

// NewWithCoin runs a node in the state after its first start: with all built-in contracts, the parties of the DSO and
// of the operator, and the coin.
func NewWithCoin(tb testing.TB, options Options) *Server {
	tb.Helper()
	options.Packages = append(options.Packages, builtin.Packages()...)
	s := New(tb, options)
	for _, party := range []ledger.Party{s.Node.DSO, s.Node.Operator} {
		_, err := s.DB.AllocateParty(tb.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
		require.NoError(tb, err)
	}
	genesis, err := bootstrap.Genesis(s.Packages, s.Node, ledger.DefaultSettings(), now())
	require.NoError(tb, err)
	completion, err := s.committer().SubmitAndWait(tb.Context(), genesis)
	require.NoError(tb, err)
	require.Nil(tb, completion.Refusal)
	return s
}

// Wallet is a party with a user, and calls the API for it.
type Wallet struct {
	Party ledger.Party
	User  string

	s *Server
}

// Wallet makes a wallet with a new party and a new user of this name.
func (s *Server) Wallet(name string) *Wallet {
	s.tb.Helper()
	w := &Wallet{Party: s.Party(name), User: name, s: s}
	s.ActingAs(name, w.Party)
	return w
}

// WalletOf is the wallet of an existing user and party.
func (s *Server) WalletOf(user string, party ledger.Party) *Wallet {
	return &Wallet{Party: party, User: user, s: s}
}

// Operator is the wallet of the operator.
func (s *Server) Operator() *Wallet {
	s.tb.Helper()
	s.ActingAs(s.Node.OperatorUser, s.Node.Operator)
	return &Wallet{Party: s.Node.Operator, User: s.Node.OperatorUser, s: s}
}

// In is the same wallet for a subtest.
func (w *Wallet) In(tb testing.TB) *Wallet {
	tb.Helper()
	return &Wallet{Party: w.Party, User: w.User, s: w.s.In(tb)}
}

// Disclosed is a disclosed contract of a submission.
type Disclosed struct {
	TemplateID       string `json:"templateId"`
	ContractID       string `json:"contractId"`
	CreatedEventBlob string `json:"createdEventBlob"`
	SynchronizerID   string `json:"synchronizerId"`
}

// Shown is a contract in the form of /v0.
type Shown struct {
	Contract struct {
		TemplateID       string          `json:"template_id"`
		ContractID       string          `json:"contract_id"`
		Payload          json.RawMessage `json:"payload"`
		CreatedEventBlob string          `json:"created_event_blob"`
	} `json:"contract"`
	DomainID string `json:"domain_id"`
}

// Disclose makes a disclosed contract of it.
func (s Shown) Disclose() Disclosed {
	return Disclosed{s.Contract.TemplateID, s.Contract.ContractID, s.Contract.CreatedEventBlob, s.DomainID}
}

// Rules asks for the rules of the coin and the newest open round.
func (w *Wallet) Rules() (rules, round Shown) {
	w.s.tb.Helper()
	var gotRules struct {
		AmuletRules Shown `json:"amulet_rules"`
	}
	w.s.Call(w.User, http.MethodGet, "/v0/scan-proxy/amulet-rules", nil).OK(&gotRules)
	var rounds struct {
		Open []Shown `json:"open_mining_rounds"`
	}
	w.s.Call(w.User, http.MethodGet, "/v0/scan-proxy/open-and-issuing-mining-rounds", nil).OK(&rounds)
	for _, candidate := range rounds.Open {
		var payload struct {
			OpensAt, TargetClosesAt time.Time
		}
		require.NoError(w.s.tb, json.Unmarshal(candidate.Contract.Payload, &payload))
		if !payload.OpensAt.After(now()) && payload.TargetClosesAt.After(now()) {
			round = candidate
		}
	}
	require.NotEmpty(w.s.tb, round.Contract.ContractID, "no round covers the present")
	return gotRules.AmuletRules, round
}

// Exercise exercises a choice as the wallet's party and returns its result.
func (w *Wallet) Exercise(template, contract, choice string, argument any, disclosed ...Disclosed) json.RawMessage {
	w.s.tb.Helper()
	return w.Submit(map[string]any{"ExerciseCommand": map[string]any{
		"templateId": template, "contractId": contract, "choice": choice, "choiceArgument": argument,
	}}, disclosed...)
}

// Create creates a contract as the wallet's party and returns its id.
func (w *Wallet) Create(template string, payload any) string {
	w.s.tb.Helper()
	var id string
	require.NoError(w.s.tb, json.Unmarshal(w.Submit(map[string]any{"CreateCommand": map[string]any{
		"templateId": template, "createArguments": payload,
	}}), &id))
	return id
}

// Submit submits one command, waits, and returns the result of its choice, or the id of the contract that it created.
func (w *Wallet) Submit(command any, disclosed ...Disclosed) json.RawMessage {
	w.s.tb.Helper()
	answer := w.Try(command, disclosed...)
	var done struct {
		Transaction struct {
			Events []struct {
				CreatedEvent   *struct{ ContractID string }
				ExercisedEvent *struct{ ExerciseResult json.RawMessage }
			}
		}
	}
	answer.OK(&done)
	require.NotEmpty(w.s.tb, done.Transaction.Events)
	root := done.Transaction.Events[0]
	if root.ExercisedEvent != nil {
		return root.ExercisedEvent.ExerciseResult
	}
	id, err := json.Marshal(root.CreatedEvent.ContractID)
	require.NoError(w.s.tb, err)
	return id
}

// Try submits one command and returns any answer.
func (w *Wallet) Try(command any, disclosed ...Disclosed) Answer {
	w.s.tb.Helper()
	format := map[string]any{
		"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
		"eventFormat": map[string]any{
			"filtersByParty": map[string]any{string(w.Party): map[string]any{}}, "verbose": true,
		},
	}
	if disclosed == nil {
		disclosed = []Disclosed{}
	}
	return w.s.Call(w.User, http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", map[string]any{
		"commands": map[string]any{
			"commands": []any{command}, "commandId": uuid.NewString(), "actAs": []string{string(w.Party)},
			"disclosedContracts": disclosed,
		},
		"transactionFormat": format,
	})
}

// Tap mints coin for the wallet's party.
func (w *Wallet) Tap(amount string) (amulet string) {
	w.s.tb.Helper()
	rules, round := w.Rules()
	var result struct {
		AmuletSum struct{ Amulet string } `json:"amuletSum"`
	}
	require.NoError(w.s.tb, json.Unmarshal(w.Exercise(rules.Contract.TemplateID, rules.Contract.ContractID,
		"AmuletRules_DevNet_Tap",
		map[string]any{"receiver": w.Party, "amount": amount, "openRound": round.Contract.ContractID},
		rules.Disclose(), round.Disclose()), &result))
	return result.AmuletSum.Amulet
}

// Holdings are the coins of the wallet's party, by contract id: their amounts and whether they are locked.
func (w *Wallet) Holdings() map[string]Holding {
	w.s.tb.Helper()
	var end struct{ Offset int64 }
	w.s.Call(w.User, http.MethodGet, "/v2/state/ledger-end", nil).OK(&end)
	var entries []struct {
		ContractEntry struct {
			JsActiveContract struct {
				CreatedEvent ledgerapi.CreatedEvent
			}
		}
	}
	w.s.Call(w.User, http.MethodPost, "/v2/state/active-contracts", map[string]any{
		"activeAtOffset": end.Offset,
		"eventFormat": map[string]any{"filtersByParty": map[string]any{string(w.Party): map[string]any{
			"cumulative": []any{map[string]any{"identifierFilter": map[string]any{"InterfaceFilter": map[string]any{
				"value": map[string]any{
					"interfaceId":          "#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding",
					"includeInterfaceView": true,
				},
			}}}},
		}}},
	}).OK(&entries)
	holdings := map[string]Holding{}
	for _, entry := range entries {
		event := entry.ContractEntry.JsActiveContract.CreatedEvent
		require.Len(w.s.tb, event.InterfaceViews, 1)
		var holding Holding
		require.NoError(w.s.tb, json.Unmarshal(event.InterfaceViews[0].ViewValue, &holding))
		if holding.Owner == w.Party {
			holdings[event.ContractID] = holding
		}
	}
	return holdings
}

// Holding is a coin in the form of the token standard.
type Holding struct {
	Owner  ledger.Party
	Amount string
	Lock   json.RawMessage
}
