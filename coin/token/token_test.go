package token_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	app      = ledger.Party("app::1220a0")
	alice    = ledger.Party("alice::1220a1")
	bob      = ledger.Party("bob::1220b0")
	registry = ledger.Party("registry::1220e6")
)

const (
	requests     = "#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest"
	instructions = "#splice-api-token-allocation-instruction-v1:" +
		"Splice.Api.Token.AllocationInstructionV1:AllocationInstruction"
	factories = "#splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory"
)

// Trade implements the interfaces that the coin does not implement: an app's request for allocations, an allocation in
// several steps, and a factory that burns and mints.
type Trade struct {
	_   struct{}     `lf:"test-app:Test.App:Trade"`
	App ledger.Party `lf:"app"`
}

func (tr Trade) settlement() token.SettlementInfo {
	return token.SettlementInfo{Executor: tr.App, SettlementRef: token.Reference{ID: "trade-1"}}
}

func (tr Trade) leg() token.TransferLeg {
	return token.TransferLeg{
		Sender: alice, Receiver: bob, InstrumentID: token.InstrumentID{Admin: registry, ID: "Gold"},
	}
}

// answer is a choice that only returns the result.
func answer[A, R any](result R) ledger.ChoiceOf[Trade] {
	return ledger.Choice[Trade, A, R]{
		Body: func(*ledger.Tx, lf.CID[Trade], Trade, A) (R, error) { return result, nil },
	}
}

func tradePackage() ledger.Package {
	pending := token.AllocationInstructionResult{
		Output: token.AllocationInstructionResultOutput{Pending: &token.AllocationPending{AllocationInstructionCid: "00aa"}},
	}
	failed := token.AllocationInstructionResult{Output: token.AllocationInstructionResultOutput{Failed: &lf.Unit{}}}
	return ledger.Package{
		Name: "test-app", Version: "1.0.0", ID: coin.LocalPackageID("test-app", "1.0.0"),
		Templates: []ledger.TemplateSource{ledger.Template[Trade]{
			Signatories: func(tr Trade) []ledger.Party { return []ledger.Party{tr.App} },
			Observers:   func(Trade) []ledger.Party { return []ledger.Party{alice, bob, registry} },
			Interfaces: []ledger.ImplementationOf[Trade]{
				ledger.Implements[Trade, token.AllocationRequest, token.AllocationRequestView]{
					View: func(tr Trade) (token.AllocationRequestView, error) {
						return token.AllocationRequestView{
							Settlement: tr.settlement(), TransferLegs: map[string]token.TransferLeg{"leg": tr.leg()},
						}, nil
					},
					Choices: []ledger.ChoiceOf[Trade]{
						answer[token.AllocationRequestReject](token.ChoiceExecutionMetadata{}),
						answer[token.AllocationRequestWithdraw](token.ChoiceExecutionMetadata{}),
					},
				},
				ledger.Implements[Trade, token.AllocationInstruction, token.AllocationInstructionView]{
					View: func(tr Trade) (token.AllocationInstructionView, error) {
						return token.AllocationInstructionView{
							Allocation:     token.AllocationSpecification{Settlement: tr.settlement(), TransferLeg: tr.leg()},
							PendingActions: lf.Map[ledger.Party, string]{{Key: registry, Value: "check"}},
						}, nil
					},
					Choices: []ledger.ChoiceOf[Trade]{
						answer[token.AllocationInstructionWithdraw](failed),
						answer[token.AllocationInstructionUpdate](pending),
					},
				},
				ledger.Implements[Trade, token.BurnMintFactory, token.BurnMintFactoryView]{
					View: func(Trade) (token.BurnMintFactoryView, error) {
						return token.BurnMintFactoryView{Admin: registry}, nil
					},
					Choices: []ledger.ChoiceOf[Trade]{
						answer[token.BurnMintFactoryBurnMint](
							token.BurnMintFactoryBurnMintResult{OutputCids: []lf.CID[token.Holding]{"00bb"}}),
						answer[token.BurnMintFactoryPublicFetch](token.BurnMintFactoryView{Admin: registry}),
					},
				},
			},
		}},
	}
}

// TestInterfaces_OthersImplementTheirChoices submits each choice in the JSON of clients, and checks its controllers,
// whether it ends the contract, and its result.
func TestInterfaces_OthersImplementTheirChoices(t *testing.T) {
	t.Parallel()
	const extra = `"extraArgs":{"context":{"values":{}},"meta":{"values":{}}}`
	for choice, c := range map[string]struct {
		iface, argument string
		by, notBy       []ledger.Party
		consuming       bool
		result          string
	}{
		"AllocationRequest_Reject": {
			requests, `{"actor":"alice::1220a1",` + extra + `}`,
			[]ledger.Party{alice},
			[]ledger.Party{app},
			true, `{"meta":{"values":{}}}`,
		},
		"AllocationRequest_Withdraw": {
			requests, `{` + extra + `}`, []ledger.Party{app}, []ledger.Party{alice}, true, `{"meta":{"values":{}}}`,
		},
		"AllocationInstruction_Withdraw": {
			instructions, `{` + extra + `}`,
			[]ledger.Party{alice},
			[]ledger.Party{bob},
			true,
			`{"output":{"tag":"AllocationInstructionResult_Failed","value":{}},"senderChangeCids":[],"meta":{"values":{}}}`,
		},
		"AllocationInstruction_Update": {
			instructions, `{"extraActors":["bob::1220b0"],` + extra + `}`,
			[]ledger.Party{registry, bob},
			[]ledger.Party{registry},
			true,
			`{"output":{"tag":"AllocationInstructionResult_Pending","value":{"allocationInstructionCid":"00aa"}},
				"senderChangeCids":[],"meta":{"values":{}}}`,
		},
		"BurnMintFactory_BurnMint": {
			factories, `{"expectedAdmin":"registry::1220e6","instrumentId":{"admin":"registry::1220e6","id":"Gold"},
				"inputHoldingCids":["00"],"outputs":[{"owner":"bob::1220b0","amount":"1.0","context":{"values":{}}}],
				"extraActors":["bob::1220b0"],` + extra + `}`,
			[]ledger.Party{registry, bob},
			[]ledger.Party{bob},
			false, `{"outputCids":["00bb"]}`,
		},
		"BurnMintFactory_PublicFetch": {
			factories, `{"expectedAdmin":"registry::1220e6","actor":"bob::1220b0"}`,
			[]ledger.Party{bob},
			[]ledger.Party{alice},
			false, `{"admin":"registry::1220e6","meta":{"values":{}}}`,
		},
	} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			book, err := ledgertest.New(append(coin.Packages(), tradePackage())...)
			require.NoError(t, err)
			id, err := ledgertest.Create(book, ledgertest.As(app), Trade{App: app})
			require.NoError(t, err)
			name, err := lf.ParseTypeName(c.iface)
			require.NoError(t, err)
			command := ledger.Command{Exercise: &ledger.ExerciseCommand{
				Template: name, Contract: id.ID(), Choice: choice, Argument: []byte(c.argument),
			}}
			_, err = book.SubmitCommands(ledgertest.As(c.notBy...), command)
			refusal, ok := fault.As(err)
			require.True(t, ok)
			require.Equal(t, fault.DamlAuthorizationError.ID, refusal.Code, refusal.Cause)
			transaction, err := book.SubmitCommands(ledgertest.As(c.by...), command)
			require.NoError(t, err)
			require.JSONEq(t, c.result, string(transaction.Events()[0].Result))
			_, remains := book.Active[id.ID()]
			require.Equal(t, !c.consuming, remains)
		})
	}
}

func TestInterfaces_OthersImplementTheirViews(t *testing.T) {
	t.Parallel()
	book, err := ledgertest.New(append(coin.Packages(), tradePackage())...)
	require.NoError(t, err)
	id, err := ledgertest.Create(book, ledgertest.As(app), Trade{App: app})
	require.NoError(t, err)
	const settlement = `{"executor":"app::1220a0","settlementRef":{"id":"trade-1"},"requestedAt":"1970-01-01T00:00:00Z",
		"allocateBefore":"1970-01-01T00:00:00Z","settleBefore":"1970-01-01T00:00:00Z","meta":{"values":{}}}`
	const leg = `{"sender":"alice::1220a1","receiver":"bob::1220b0","amount":"0.0000000000",
		"instrumentId":{"admin":"registry::1220e6","id":"Gold"},"meta":{"values":{}}}`
	for iface, want := range map[string]string{
		requests: `{"settlement":` + settlement + `,"transferLegs":{"leg":` + leg + `},"meta":{"values":{}}}`,
		instructions: `{"originalInstructionCid":null,"allocation":{"settlement":` + settlement + `,"transferLegId":"",
			"transferLeg":` + leg + `},"pendingActions":[["registry::1220e6","check"]],
			"requestedAt":"1970-01-01T00:00:00Z","inputHoldingCids":[],"meta":{"values":{}}}`,
		factories: `{"admin":"registry::1220e6","meta":{"values":{}}}`,
	} {
		view, err := book.View(t.Context(), id.ID(), iface)
		require.NoError(t, err)
		require.JSONEq(t, want, string(view))
	}
}
