package apitest

import (
	"errors"
	"strings"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// A token of an uploaded package, as small as the token standard allows.
type (
	// TokenHolding is a holding.
	TokenHolding struct {
		_       struct{}          `lf:"api-token:Api.Token:Token"`
		Holding token.HoldingView `lf:"holding"`
	}
	// TokenOffer is a transfer that waits for its receiver. It is the locked holding too.
	TokenOffer struct {
		_        struct{}       `lf:"api-token:Api.Token:Offer"`
		Transfer token.Transfer `lf:"transfer"`
	}
	// TokenAllocation is a holding that is set aside.
	TokenAllocation struct {
		_          struct{}                      `lf:"api-token:Api.Token:Allocation"`
		Allocation token.AllocationSpecification `lf:"allocation"`
	}
	// TokenRules are the factories. The users may see them.
	TokenRules struct {
		_     struct{}       `lf:"api-token:Api.Token:Rules"`
		Admin ledger.Party   `lf:"admin"`
		Users []ledger.Party `lf:"users"`
	}
)

// TokenPackageName is the name of the package of [TokenHolding].
const TokenPackageName = "api-token"

// TokenPackage is the package of a token of an uploaded package.
func TokenPackage() ledger.Package {
	return ledger.Package{
		ID: lf.PackageID(strings.Repeat("e", 64)), Name: TokenPackageName, Version: "1.0.0", Uploaded: true,
		Templates: []ledger.TemplateSource{
			tokenTemplate(), tokenOfferTemplate(), tokenAllocationTemplate(), tokenRulesTemplate(),
		},
	}
}

func tokenTemplate() ledger.TemplateSource {
	return ledger.Template[TokenHolding]{
		Signatories: func(t TokenHolding) []ledger.Party {
			return []ledger.Party{t.Holding.Owner, t.Holding.InstrumentID.Admin}
		},
		Interfaces: []ledger.ImplementationOf[TokenHolding]{
			ledger.Implements[TokenHolding, token.Holding, token.HoldingView]{
				View: func(t TokenHolding) (token.HoldingView, error) { return t.Holding, nil },
			},
		},
	}
}

func (o TokenOffer) holding() token.HoldingView {
	t := o.Transfer
	return token.HoldingView{
		Owner: t.Sender, InstrumentID: t.InstrumentID, Amount: t.Amount,
		Lock: &token.Lock{Holders: []ledger.Party{t.InstrumentID.Admin}, ExpiresAt: &t.ExecuteBefore},
	}
}

// moveTo makes a holding of the owner.
func moveTo(tx *ledger.Tx, holding token.HoldingView, owner ledger.Party) ([]lf.CID[token.Holding], error) {
	holding.Owner, holding.Lock = owner, nil
	id, err := ledger.Create(tx, TokenHolding{Holding: holding})
	return []lf.CID[token.Holding]{lf.Coerce[token.Holding](id)}, err
}

func tokenOfferTemplate() ledger.TemplateSource {
	back := func(tx *ledger.Tx, o TokenOffer) (result token.TransferInstructionResult, err error) {
		result.Output.Failed = &lf.Unit{}
		result.SenderChangeCids, err = moveTo(tx, o.holding(), o.Transfer.Sender)
		return result, err
	}
	return ledger.Template[TokenOffer]{
		Signatories: func(o TokenOffer) []ledger.Party {
			return []ledger.Party{o.Transfer.Sender, o.Transfer.InstrumentID.Admin}
		},
		Observers: func(o TokenOffer) []ledger.Party { return []ledger.Party{o.Transfer.Receiver} },
		Interfaces: []ledger.ImplementationOf[TokenOffer]{
			ledger.Implements[TokenOffer, token.Holding, token.HoldingView]{
				View: func(o TokenOffer) (token.HoldingView, error) { return o.holding(), nil },
			},
			ledger.Implements[TokenOffer, token.TransferInstruction, token.TransferInstructionView]{
				View: func(o TokenOffer) (token.TransferInstructionView, error) {
					return token.TransferInstructionView{
						Transfer: o.Transfer, Status: token.TransferInstructionStatus{PendingReceiverAcceptance: &lf.Unit{}},
					}, nil
				},
				Choices: []ledger.ChoiceOf[TokenOffer]{
					ledger.Choice[TokenOffer, token.TransferInstructionAccept, token.TransferInstructionResult]{Body: func(
						tx *ledger.Tx, _ lf.CID[TokenOffer], o TokenOffer, _ token.TransferInstructionAccept,
					) (result token.TransferInstructionResult, err error) {
						ids, err := moveTo(tx, o.holding(), o.Transfer.Receiver)
						result.Output.Completed = &token.TransferCompleted{ReceiverHoldingCids: ids}
						return result, err
					}},
					ledger.Choice[TokenOffer, token.TransferInstructionReject, token.TransferInstructionResult]{Body: func(
						tx *ledger.Tx, _ lf.CID[TokenOffer], o TokenOffer, _ token.TransferInstructionReject,
					) (token.TransferInstructionResult, error) {
						return back(tx, o)
					}},
					ledger.Choice[TokenOffer, token.TransferInstructionWithdraw, token.TransferInstructionResult]{Body: func(
						tx *ledger.Tx, _ lf.CID[TokenOffer], o TokenOffer, _ token.TransferInstructionWithdraw,
					) (token.TransferInstructionResult, error) {
						return back(tx, o)
					}},
					ledger.Choice[TokenOffer, token.TransferInstructionUpdate, token.TransferInstructionResult]{Body: func(
						*ledger.Tx, lf.CID[TokenOffer], TokenOffer, token.TransferInstructionUpdate,
					) (none token.TransferInstructionResult, err error) {
						return none, errors.New("an offer has no internal steps")
					}},
				},
			},
		},
	}
}

func (a TokenAllocation) holding() token.HoldingView {
	leg := a.Allocation.TransferLeg
	return token.HoldingView{
		Owner: leg.Sender, InstrumentID: leg.InstrumentID, Amount: leg.Amount,
		Lock: &token.Lock{Holders: []ledger.Party{leg.InstrumentID.Admin}, ExpiresAt: &a.Allocation.Settlement.SettleBefore},
	}
}

func tokenAllocationTemplate() ledger.TemplateSource {
	return ledger.Template[TokenAllocation]{
		Signatories: func(a TokenAllocation) []ledger.Party {
			return []ledger.Party{a.Allocation.TransferLeg.Sender, a.Allocation.TransferLeg.InstrumentID.Admin}
		},
		Observers: func(a TokenAllocation) []ledger.Party { return []ledger.Party{a.Allocation.Settlement.Executor} },
		Interfaces: []ledger.ImplementationOf[TokenAllocation]{
			ledger.Implements[TokenAllocation, token.Holding, token.HoldingView]{
				View: func(a TokenAllocation) (token.HoldingView, error) { return a.holding(), nil },
			},
			ledger.Implements[TokenAllocation, token.Allocation, token.AllocationView]{
				View: func(a TokenAllocation) (token.AllocationView, error) {
					return token.AllocationView{Allocation: a.Allocation}, nil
				},
				Choices: []ledger.ChoiceOf[TokenAllocation]{
					ledger.Choice[TokenAllocation, token.AllocationExecuteTransfer, token.AllocationExecuteTransferResult]{
						Body: func(
							tx *ledger.Tx, _ lf.CID[TokenAllocation], a TokenAllocation, _ token.AllocationExecuteTransfer,
						) (result token.AllocationExecuteTransferResult, err error) {
							result.ReceiverHoldingCids, err = moveTo(tx, a.holding(), a.Allocation.TransferLeg.Receiver)
							return result, err
						},
					},
					ledger.Choice[TokenAllocation, token.AllocationCancel, token.AllocationCancelResult]{Body: func(
						tx *ledger.Tx, _ lf.CID[TokenAllocation], a TokenAllocation, _ token.AllocationCancel,
					) (result token.AllocationCancelResult, err error) {
						result.SenderHoldingCids, err = moveTo(tx, a.holding(), a.Allocation.TransferLeg.Sender)
						return result, err
					}},
					ledger.Choice[TokenAllocation, token.AllocationWithdraw, token.AllocationWithdrawResult]{Body: func(
						tx *ledger.Tx, _ lf.CID[TokenAllocation], a TokenAllocation, _ token.AllocationWithdraw,
					) (result token.AllocationWithdrawResult, err error) {
						result.SenderHoldingCids, err = moveTo(tx, a.holding(), a.Allocation.TransferLeg.Sender)
						return result, err
					}},
				},
			},
		},
	}
}

// pay archives holdings of the sender, and gives it the change.
func (r TokenRules) pay(
	tx *ledger.Tx, sender ledger.Party, of token.InstrumentID, inputs []lf.CID[token.Holding], amount decimal.Decimal,
) (change []lf.CID[token.Holding], err error) {
	left := amount.Neg()
	for _, id := range inputs {
		held, err := ledger.Fetch(tx, lf.Coerce[TokenHolding](id))
		if err != nil {
			return nil, err
		}
		if held.Holding.Owner != sender || held.Holding.InstrumentID != of || of.Admin != r.Admin {
			return nil, ledger.Abort("holding %s does not belong to the transfer", id)
		}
		if err := ledger.ArchiveContract(tx, lf.Coerce[TokenHolding](id)); err != nil {
			return nil, err
		}
		if left, err = left.Add(held.Holding.Amount); err != nil {
			return nil, err
		}
	}
	switch left.Sign() {
	case -1:
		return nil, ledger.Abort("the holdings are too small")
	case 0:
		return nil, nil
	default:
		return moveTo(tx, token.HoldingView{InstrumentID: of, Amount: left}, sender)
	}
}

func tokenRulesTemplate() ledger.TemplateSource {
	return ledger.Template[TokenRules]{
		Signatories: func(r TokenRules) []ledger.Party { return []ledger.Party{r.Admin} },
		Observers:   func(r TokenRules) []ledger.Party { return r.Users },
		Interfaces: []ledger.ImplementationOf[TokenRules]{
			ledger.Implements[TokenRules, token.TransferFactory, token.TransferFactoryView]{
				View: func(r TokenRules) (token.TransferFactoryView, error) {
					return token.TransferFactoryView{Admin: r.Admin}, nil
				},
				Choices: []ledger.ChoiceOf[TokenRules]{
					ledger.Choice[TokenRules, token.TransferFactoryTransfer, token.TransferInstructionResult]{
						Body: offerTokens,
					},
					ledger.Choice[TokenRules, token.TransferFactoryPublicFetch, token.TransferFactoryView]{Body: func(
						_ *ledger.Tx, _ lf.CID[TokenRules], r TokenRules, _ token.TransferFactoryPublicFetch,
					) (token.TransferFactoryView, error) {
						return token.TransferFactoryView{Admin: r.Admin}, nil
					}},
				},
			},
			ledger.Implements[TokenRules, token.AllocationFactory, token.AllocationFactoryView]{
				View: func(r TokenRules) (token.AllocationFactoryView, error) {
					return token.AllocationFactoryView{Admin: r.Admin}, nil
				},
				Choices: []ledger.ChoiceOf[TokenRules]{
					ledger.Choice[TokenRules, token.AllocationFactoryAllocate, token.AllocationInstructionResult]{
						Body: setTokensAside,
					},
					ledger.Choice[TokenRules, token.AllocationFactoryPublicFetch, token.AllocationFactoryView]{Body: func(
						_ *ledger.Tx, _ lf.CID[TokenRules], r TokenRules, _ token.AllocationFactoryPublicFetch,
					) (token.AllocationFactoryView, error) {
						return token.AllocationFactoryView{Admin: r.Admin}, nil
					}},
				},
			},
		},
	}
}

func offerTokens(
	tx *ledger.Tx, _ lf.CID[TokenRules], r TokenRules, arg token.TransferFactoryTransfer,
) (result token.TransferInstructionResult, err error) {
	t := arg.Transfer
	if result.SenderChangeCids, err = r.pay(tx, t.Sender, t.InstrumentID, t.InputHoldingCids, t.Amount); err != nil {
		return result, err
	}
	if t.Sender == t.Receiver {
		ids, err := moveTo(tx, token.HoldingView{InstrumentID: t.InstrumentID, Amount: t.Amount}, t.Receiver)
		result.Output.Completed = &token.TransferCompleted{ReceiverHoldingCids: ids}
		return result, err
	}
	id, err := ledger.Create(tx, TokenOffer{Transfer: t})
	result.Output.Pending = &token.TransferPending{
		TransferInstructionCid: lf.Coerce[token.TransferInstruction](id),
	}
	return result, err
}

func setTokensAside(
	tx *ledger.Tx, _ lf.CID[TokenRules], r TokenRules, arg token.AllocationFactoryAllocate,
) (result token.AllocationInstructionResult, err error) {
	leg := arg.Allocation.TransferLeg
	result.SenderChangeCids, err = r.pay(tx, leg.Sender, leg.InstrumentID, arg.InputHoldingCids, leg.Amount)
	if err != nil {
		return result, err
	}
	id, err := ledger.Create(tx, TokenAllocation{Allocation: arg.Allocation})
	result.Output.Completed = &token.AllocationCompleted{AllocationCid: lf.Coerce[token.Allocation](id)}
	return result, err
}
