package instruments

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/tokens"
)

// instructionClaim is the part of a transfer instruction's view that the wallet uses.
type instructionClaim struct {
	Transfer struct {
		Sender     ledger.Party      `json:"sender"`
		Receiver   ledger.Party      `json:"receiver"`
		Instrument tokens.Instrument `json:"instrumentId"`
	} `json:"transfer"`
}

// Transfers lists the pending transfers to and from a party, oldest first.
func (a *API) Transfers(ctx context.Context, party ledger.Party) ([]ClaimedContract, error) {
	return claims(ctx, a, party, tokens.InstructionInterface, func(claim instructionClaim) bool {
		return claim.Transfer.Sender == party || claim.Transfer.Receiver == party
	})
}

// stakeholderOf finds an active contract of a party whose uploaded template implements an interface, and decodes its
// view. It is false for all other contracts.
func (a *API) stakeholderOf(
	ctx context.Context, party ledger.Party, id, interfaceName string, claim any,
) (contract ledger.Contract, ok bool, err error) {
	stored, found, err := a.record.Contract(ctx, ledger.ContractID(id))
	if err != nil || !found || stored.Archived != nil || !stored.IsStakeholder(party) {
		return contract, false, err
	}
	packages, err := a.Catalog.For(ctx)
	if err != nil || !packages.IsUploaded(stored.Template.Package) {
		return contract, false, err
	}
	name, _, err := validator.Implementers(packages, interfaceName)
	if err != nil {
		return contract, false, err
	}
	view, implements, err := packages.View(ctx, stored.Contract, name)
	if ended := ctx.Err(); ended != nil {
		return contract, false, ended
	}
	if !implements {
		return contract, false, nil
	}
	if err == nil {
		err = tokens.ReadView(view, claim)
	}
	if err != nil {
		return contract, false, v0.BadRequest("Contract %s of package %q does not say what it is: %s", id,
			stored.PackageName, reasonOf(err))
	}
	return stored.Contract, true, nil
}

// Answer is an answer to a pending transfer.
type Answer string

// The answers.
const (
	Accept   Answer = "accept"
	Reject   Answer = "reject"
	Withdraw Answer = "withdraw"
)

func (answer Answer) choice() string {
	return map[Answer]string{
		Accept: "TransferInstruction_Accept", Reject: "TransferInstruction_Reject",
		Withdraw: "TransferInstruction_Withdraw",
	}[answer]
}

// AnswerTransfer composes the end of a pending transfer; it is false if the contract is none of an uploaded package.
func (a *API) AnswerTransfer(
	ctx context.Context, w validator.Owner, id string, answer Answer, trust Trust,
) (composed validator.Composed[token.TransferInstructionResult], ok bool, err error) {
	var claim instructionClaim
	contract, ok, err := a.stakeholderOf(ctx, w.Party, id, tokens.InstructionInterface, &claim)
	if err != nil || !ok {
		return composed, false, err
	}
	compose := func(plan.View) (change validator.Change, err error) {
		path := "/registry/transfer-instruction/v1/" + id + "/choice-contexts/" + string(answer)
		return a.choose(ctx, w, contract, tokens.InstructionInterface, answer.choice(), claim.Transfer.Instrument.Admin,
			path, trust)
	}
	composed = validator.ComposedOf[token.TransferInstructionResult](a.Base, w, validator.Change{})
	composed.Compose = compose
	return composed, true, nil
}

// choose composes a choice of an interface, without further arguments, on a contract of the caller.
func (a *API) choose(
	ctx context.Context, w validator.Owner, contract ledger.Contract, interfaceName, choice string, admin ledger.Party,
	path string, trust Trust,
) (change validator.Change, err error) {
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return change, err
	}
	if err := trust.check(packages, contract); err != nil {
		return change, err
	}
	on, err := a.choiceTarget(ctx, contract, admin, path)
	if err != nil {
		return change, err
	}
	name, _, err := validator.Implementers(packages, interfaceName)
	if err != nil {
		return change, err
	}
	command, err := a.exercise(packages, name, on, choice, json.RawMessage("{}"))
	return validator.Change{
		ActAs: []ledger.Party{w.Party}, Commands: []ledger.Command{command}, Disclosed: on.disclosed,
		TrustedPackages: trust,
	}, err
}

// Transfer composes a transfer of the caller's holdings, which it chooses.
func (a *API) Transfer(
	ctx context.Context, w validator.Owner, commandID string, transfer token.Transfer, trust Trust,
) validator.Composed[token.TransferInstructionResult] {
	admin := transfer.InstrumentID.Admin
	return payment[token.TransferInstructionResult](ctx, a, w, paymentOf{
		commandID: commandID, trust: trust, kind: transferFactory(), choice: "TransferFactory_Transfer", admin: admin,
		pays: tokens.Payment{Instrument: instrumentOf(transfer.InstrumentID), Amount: transfer.Amount, Packages: trust},
		argument: func(inputs []ledger.ContractID) (json.RawMessage, error) {
			transfer.InputHoldingCids = holdingIDs(inputs)
			return ledger.Encode(a.Packages, token.TransferFactoryTransfer{ExpectedAdmin: admin, Transfer: transfer})
		},
	})
}

// paymentOf is what a payment exercises.
type paymentOf struct {
	commandID string
	trust     Trust
	kind      factoryKind
	choice    string
	admin     ledger.Party
	pays      tokens.Payment
	argument  func(inputs []ledger.ContractID) (json.RawMessage, error)
}

// payment composes a choice of a factory that takes the caller's holdings. If they do not suffice, the token's code
// still decides, because a repeated request must get the answer of the first one; only a refusal says what is missing.
func payment[R any](
	ctx context.Context, a *API, w validator.Owner, p paymentOf,
) validator.Composed[R] {
	var lacks *tokens.Inputs
	composed := validator.ComposedOf[R](a.Base, w, validator.Change{})
	composed.Compose = func(plan.View) (change validator.Change, err error) {
		holdings, _, err := a.holdings(ctx, w.Party)
		if err != nil {
			return change, err
		}
		inputs := tokens.ChooseInputs(holdings, p.pays)
		if !inputs.Covers(p.pays.Amount) {
			lacks = &inputs
		}
		argument, err := p.argument(inputs.Holdings)
		if err != nil {
			return change, fault.Internal(err)
		}
		packages, err := a.Catalog.For(ctx)
		if err != nil {
			return change, err
		}
		on, name, err := a.factory(ctx, w, p.kind, p.admin, p.trust, argument)
		if err != nil {
			return change, err
		}
		command, err := a.exercise(packages, name, on, p.choice, argument)
		period := nameLifetime
		return validator.Change{
			CommandID: p.commandID, ActAs: []ledger.Party{w.Party}, Commands: []ledger.Command{command},
			Disclosed: on.disclosed, TrustedPackages: p.trust,
			Deduplication: &ledger.DeduplicationPeriod{Duration: &period},
		}, err
	}
	composed.Explain = func(err error) error {
		if _, refused := fault.As(err); !refused || lacks == nil {
			return err
		}
		return lackError(p.pays, *lacks)
	}
	return composed
}

func lackError(pays tokens.Payment, has tokens.Inputs) error {
	most := ""
	if len(has.Holdings) == tokens.MaxInputs {
		most = fmt.Sprintf(" in the %d holdings that one payment takes", tokens.MaxInputs)
	}
	return v0.BadRequest("Insufficient holdings: the trusted packages %q say that you hold %s unlocked %s of %s%s, less "+
		"than %s.", pays.Packages, has.Has.Amount.Show(), pays.Instrument.ID, pays.Instrument.Admin, most,
		pays.Amount.Show())
}

func instrumentOf(id token.InstrumentID) tokens.Instrument {
	return tokens.Instrument{Admin: id.Admin, ID: id.ID}
}

func holdingIDs(ids []ledger.ContractID) []lf.CID[token.Holding] {
	typed := make([]lf.CID[token.Holding], len(ids))
	for i, id := range ids {
		typed[i] = lf.CID[token.Holding](id)
	}
	return typed
}

// CheckPayment refuses a payment that trusts no package.
func (a *API) CheckPayment(id InstrumentID, trust Trust) error {
	if len(trust) == 0 {
		return v0.BadRequest(`trusted_packages is missing: a transfer of a token runs its package's code in your name. Send ` +
			`the names of the packages that you trust, as GET /v0/wallet/token-standard/holdings shows them; without ` +
			`"instrument", coin is sent.`)
	}
	if err := ledger.CheckParty(string(id.Admin)); err != nil {
		return v0.BadRequest("Failed to decode: instrument.admin: %s", err)
	}
	return nil
}
