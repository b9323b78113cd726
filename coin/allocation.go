package coin

import (
	"strings"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletAllocation is locked coin that its owner sets aside for one leg of a settlement. The executor of the settlement
// moves it to the leg's receiver with the agreement of both.
type AmuletAllocation struct {
	_            struct{}                      `lf:"splice-amulet:Splice.AmuletAllocation:AmuletAllocation"`
	LockedAmulet lf.CID[LockedAmulet]          `lf:"lockedAmulet"`
	Allocation   token.AllocationSpecification `lf:"allocation"`
	// ExpiresAt is the end of the lock; nil means the settlement's settleBefore.
	ExpiresAt *lf.Timestamp `lf:"expiresAt"`
}

func (a AmuletAllocation) dso() Party { return a.Allocation.TransferLeg.InstrumentID.Admin }

// Expires is the end of the lock.
func (a AmuletAllocation) Expires() lf.Timestamp {
	return valueOr(a.ExpiresAt, a.Allocation.Settlement.SettleBefore)
}

// AmuletAllocationDSOExpire ends an allocation that has expired. ExpireLock is false if its coin is already released.
type AmuletAllocationDSOExpire struct {
	_          struct{} `lf:"splice-amulet:Splice.AmuletAllocation:AmuletAllocation_DsoExpire"`
	ExpireLock bool     `lf:"expireLock"`
}

// AmuletAllocationDSOExpireResult is the result of [AmuletAllocationDSOExpire].
type AmuletAllocationDSOExpireResult struct {
	_                 struct{}                `lf:"splice-amulet:Splice.AmuletAllocation:AmuletAllocation_DsoExpireResult"`
	SenderHoldingCids []lf.CID[token.Holding] `lf:"senderHoldingCids"`
	Meta              token.Metadata          `lf:"meta"`
}

func amuletAllocationTemplate() ledger.TemplateSource {
	return ledger.Template[AmuletAllocation]{
		Network:     ledger.DSOSigned(AmuletAllocation.dso),
		Signatories: func(a AmuletAllocation) []Party { return []Party{a.dso(), a.Allocation.TransferLeg.Sender} },
		Observers:   func(a AmuletAllocation) []Party { return []Party{a.Allocation.Settlement.Executor} },
		Ensure: ledger.That("requestedAt is not after allocateBefore", func(a AmuletAllocation) bool {
			return a.Allocation.Settlement.RequestedAt <= a.Allocation.Settlement.AllocateBefore
		}).And("allocateBefore is not after settleBefore", func(a AmuletAllocation) bool {
			return a.Allocation.Settlement.AllocateBefore <= a.Allocation.Settlement.SettleBefore
		}).And("the amount is more than 0", func(a AmuletAllocation) bool {
			return a.Allocation.TransferLeg.Amount.Sign() > 0
		}).And("the instrument is "+InstrumentName, func(a AmuletAllocation) bool {
			return a.Allocation.TransferLeg.InstrumentID.ID == InstrumentName
		}),
		Choices: []ledger.ChoiceOf[AmuletAllocation]{
			ledger.Choice[AmuletAllocation, AmuletAllocationDSOExpire, AmuletAllocationDSOExpireResult]{
				Consuming:   true,
				Controllers: func(a AmuletAllocation, _ AmuletAllocationDSOExpire) []Party { return []Party{a.dso()} },
				Body:        expireAllocation,
			},
		},
		Interfaces: []ledger.ImplementationOf[AmuletAllocation]{allocationInterface()},
	}
}

func allocationInterface() ledger.ImplementationOf[AmuletAllocation] {
	return ledger.Implements[AmuletAllocation, token.Allocation, token.AllocationView]{
		View: func(a AmuletAllocation) (token.AllocationView, error) {
			return token.AllocationView{
				Allocation: a.Allocation, HoldingCids: []lf.CID[token.Holding]{lf.Coerce[token.Holding](a.LockedAmulet)},
			}, nil
		},
		Choices: []ledger.ChoiceOf[AmuletAllocation]{
			ledger.Choice[AmuletAllocation, token.AllocationExecuteTransfer, token.AllocationExecuteTransferResult]{
				Body: executeAllocation,
			},
			ledger.Choice[AmuletAllocation, token.AllocationCancel, token.AllocationCancelResult]{
				Body: func(
					tx *ledger.Tx, _ lf.CID[AmuletAllocation], a AmuletAllocation, arg token.AllocationCancel,
				) (token.AllocationCancelResult, error) {
					released, err := a.release(tx, arg.ExtraArgs.Context)
					return token.AllocationCancelResult{SenderHoldingCids: released}, err
				},
			},
			ledger.Choice[AmuletAllocation, token.AllocationWithdraw, token.AllocationWithdrawResult]{
				Body: func(
					tx *ledger.Tx, _ lf.CID[AmuletAllocation], a AmuletAllocation, arg token.AllocationWithdraw,
				) (token.AllocationWithdrawResult, error) {
					released, err := a.release(tx, arg.ExtraArgs.Context)
					return token.AllocationWithdrawResult{SenderHoldingCids: released}, err
				},
			},
		},
	}
}

func (a AmuletAllocation) release(tx *ledger.Tx, context token.ChoiceContext) ([]lf.CID[token.Holding], error) {
	expireLock, err := token.BoolOr(context, ContextExpireLock, true)
	if err != nil {
		return nil, err
	}
	return releaseCoin(tx, a.LockedAmulet, expireLock, "AmuletAllocation.expiresAt", a.Expires())
}

func expireAllocation(
	tx *ledger.Tx, _ lf.CID[AmuletAllocation], a AmuletAllocation, arg AmuletAllocationDSOExpire,
) (none AmuletAllocationDSOExpireResult, err error) {
	const label = "AmuletAllocation.expiresAt"
	if err := ledger.RequireDeadlineExceeded(tx, label, a.Expires()); err != nil {
		return none, err
	}
	released, err := releaseCoin(tx, a.LockedAmulet, arg.ExpireLock, label, a.Expires())
	return AmuletAllocationDSOExpireResult{SenderHoldingCids: released}, err
}

// executeAllocation makes the leg's transfer. It is credited to the executor, who may be a featured app and may share
// the reward.
func executeAllocation(
	tx *ledger.Tx, _ lf.CID[AmuletAllocation], a AmuletAllocation, arg token.AllocationExecuteTransfer,
) (none token.AllocationExecuteTransferResult, err error) {
	settlement, leg := a.Allocation.Settlement, a.Allocation.TransferLeg
	if err := ledger.RequireWithinDeadline(tx, "Settlement.settleBefore", settlement.SettleBefore); err != nil {
		return none, err
	}
	context := ExternalPartyTransferContext{}
	if context.ExternalPartyConfigState, _, err = requireConfigState(tx, a.dso(), arg.ExtraArgs.Context); err != nil {
		return none, err
	}
	context.FeaturedAppRight, err = token.FindContract[FeaturedAppRight](arg.ExtraArgs.Context, ContextFeaturedAppRight)
	if err != nil {
		return none, err
	}
	beneficiaries, err := beneficiariesOf(arg.ExtraArgs.Meta)
	if err != nil {
		return none, err
	}
	result, err := spendLocked(tx, a.dso(), a.LockedAmulet, context, Transfer{
		Sender: leg.Sender, Provider: settlement.Executor, Beneficiaries: beneficiaries,
		Outputs: []TransferOutput{{Receiver: leg.Receiver, Amount: leg.Amount}},
	})
	if err != nil {
		return none, err
	}
	return token.AllocationExecuteTransferResult{
		SenderHoldingCids: result.change(), ReceiverHoldingCids: result.holdings(), Meta: *result.Meta,
	}, nil
}

// beneficiariesOf reads the parties that share the executor's reward: two lists in the metadata, separated by commas,
// of parties and of their weights. Without them the executor gets all.
func beneficiariesOf(meta token.Metadata) (*[]AppRewardBeneficiary, error) {
	parties, named := meta.Values[metaBeneficiaries]
	weights, weighted := meta.Values[metaBeneficiaryWeights]
	if !named && !weighted {
		return nil, nil
	}
	names, shares := strings.Split(parties, ","), strings.Split(weights, ",")
	if !named || !weighted || len(names) != len(shares) {
		return nil, ledger.Abort("The metadata %s and %s must be lists of equal length", metaBeneficiaries,
			metaBeneficiaryWeights)
	}
	beneficiaries := make([]AppRewardBeneficiary, len(names))
	for i, name := range names {
		if err := ledger.CheckParty(name); err != nil {
			return nil, ledger.Abort("The metadata %s holds %q, which is no party: %s", metaBeneficiaries, name, err)
		}
		weight, err := decimal.Parse(shares[i])
		if err != nil {
			return nil, ledger.Abort("The metadata %s holds %q, which is no decimal: %s", metaBeneficiaryWeights,
				shares[i], err)
		}
		beneficiaries[i] = AppRewardBeneficiary{Beneficiary: Party(name), Weight: weight}
	}
	return &beneficiaries, nil
}

// allocate locks the coin of one leg of a settlement. It is always done at once.
func allocate(
	tx *ledger.Tx, _ lf.CID[ExternalPartyAmuletRules], rules ExternalPartyAmuletRules, arg token.AllocationFactoryAllocate,
) (none token.AllocationInstructionResult, err error) {
	settlement, leg := arg.Allocation.Settlement, arg.Allocation.TransferLeg
	if err := checkAllocate(tx, rules.DSO, arg); err != nil {
		return none, err
	}
	state, config, err := requireConfigState(tx, rules.DSO, arg.ExtraArgs.Context)
	if err != nil {
		return none, err
	}
	inputs, err := holdingInputs(tx, rules.DSO, leg.Sender, arg.InputHoldingCids)
	if err != nil {
		return none, err
	}
	expiresAt := min(settlement.SettleBefore, settlement.RequestedAt.Add(config.tokenStandardMaxTTL()))
	locked, result, err := lockCoin(tx, rules.DSO, ExternalPartyTransferContext{ExternalPartyConfigState: state}, coinLock{
		owner: leg.Sender, inputs: inputs, amount: leg.Amount, expiresAt: expiresAt,
		purpose: "allocation for settlement of " + settlement.SettlementRef.ID,
	})
	if err != nil {
		return none, err
	}
	allocation, err := ledger.Create(tx,
		AmuletAllocation{LockedAmulet: locked, Allocation: arg.Allocation, ExpiresAt: &expiresAt})
	return token.AllocationInstructionResult{
		Output: token.AllocationInstructionResultOutput{Completed: &token.AllocationCompleted{
			AllocationCid: lf.Coerce[token.Allocation](allocation),
		}},
		SenderChangeCids: result.change(), Meta: *result.Meta,
	}, err
}

func checkAllocate(tx *ledger.Tx, dso Party, arg token.AllocationFactoryAllocate) error {
	settlement, leg := arg.Allocation.Settlement, arg.Allocation.TransferLeg
	if err := requireAdmin(dso, arg.ExpectedAdmin); err != nil {
		return err
	}
	if err := ledger.RequireWithinDeadline(tx, "Settlement.allocateBefore", settlement.AllocateBefore); err != nil {
		return err
	}
	inOrder := settlement.AllocateBefore <= settlement.SettleBefore
	if err := ledger.Require("allocateBefore is not after settleBefore", inOrder); err != nil {
		return err
	}
	if err := ledger.RequireDeadlineExceeded(tx, "Settlement.requestedAt", settlement.RequestedAt); err != nil {
		return err
	}
	if err := ledger.RequireDeadlineExceeded(tx, "Allocation.requestedAt", arg.RequestedAt); err != nil {
		return err
	}
	if err := ledger.Require("Amount must be positive", leg.Amount.Sign() > 0); err != nil {
		return err
	}
	return requireInstrument(dso, leg.InstrumentID)
}
