package walletapi

import (
	"context"
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// AllocateAmuletRequest sets coin of the caller aside, as one leg of a settlement.
type AllocateAmuletRequest struct {
	endpoint.Strict

	Settlement    AllocationSettlement  `json:"settlement" required:"true" doc:"The settlement"`
	TransferLegID string                `json:"transfer_leg_id" required:"true" doc:"The leg's name in the settlement"`
	TransferLeg   AllocationTransferLeg `json:"transfer_leg" required:"true" doc:"The leg; its sender is the caller"`

	Instrument      *instruments.InstrumentID `json:"instrument" doc:"The token of an uploaded package to set aside; null for coin"`
	TrustedPackages []string                  `json:"trusted_packages" doc:"With instrument: names of the packages whose code may act in the caller's name, on their own contracts"`
}

// AllocationSettlement is a settlement: transfers that an executor makes together.
type AllocationSettlement struct {
	endpoint.Strict

	Executor       string              `json:"executor" required:"true" doc:"Party that makes the transfers"`
	SettlementRef  AllocationReference `json:"settlement_ref" required:"true" doc:"The executor's name for the settlement"`
	RequestedAt    int64               `json:"requested_at" required:"true" doc:"Microseconds since 1970"`
	AllocateBefore int64               `json:"allocate_before" required:"true" doc:"Deadline to set coin aside; microseconds since 1970"`
	SettleBefore   int64               `json:"settle_before" required:"true" doc:"Deadline to settle; microseconds since 1970"`
	Meta           map[string]string   `json:"meta" doc:"Metadata from the executor"`
}

// AllocationReference names a settlement.
type AllocationReference struct {
	endpoint.Strict

	ID  string  `json:"id" required:"true" doc:"A name"`
	CID *string `json:"cid" doc:"A contract id"`
}

// AllocationTransferLeg is one transfer of a settlement.
type AllocationTransferLeg struct {
	endpoint.Strict

	Receiver string            `json:"receiver" required:"true" doc:"Receiver of the coin"`
	Amount   string            `json:"amount" required:"true" doc:"In coin, or in the instrument"`
	Meta     map[string]string `json:"meta" doc:"Metadata from the sender"`
}

// AllocateAmuletResponse is the result of an allocation.
type AllocateAmuletResponse struct {
	Output           AllocationOutput    `json:"output" required:"true" doc:"The outcome"`
	SenderChangeCids []ledger.ContractID `json:"sender_change_cids" required:"true" doc:"Change that the sender got back"`
	Meta             map[string]string   `json:"meta" required:"true" doc:"Metadata of the token standard"`
}

// AllocationOutput is the output of an allocation. For the coin it is always an allocation.
type AllocationOutput struct {
	AllocationID  *ledger.ContractID `json:"allocation_cid" doc:"The allocation"`
	InstructionID *ledger.ContractID `json:"allocation_instruction_cid" doc:"The instruction that is still open"`
}

// MarshalJSON writes only the field that is set.
func (o AllocationOutput) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		AllocationID  *ledger.ContractID `json:"allocation_cid,omitempty"`
		InstructionID *ledger.ContractID `json:"allocation_instruction_cid,omitempty"`
	}(o))
}

type allocateAmuletRequest struct {
	Body AllocateAmuletRequest `body:"json"`
}

func (a *API) allocateAmulet(
	ctx context.Context, req allocateAmuletRequest,
) (response AllocateAmuletResponse, err error) {
	w, err := a.Caller(ctx, "allocateAmulet")
	if err != nil {
		return response, err
	}
	specification, err := a.decodeAllocation(w, req.Body)
	if err != nil {
		return response, err
	}
	reference := specification.Settlement.SettlementRef
	cid := ""
	if reference.CID != nil {
		cid = string(*reference.CID)
	}
	id := commandID("allocateAmulet", []ledger.Party{w.Party, specification.Settlement.Executor},
		reference.ID, cid, specification.TransferLegID)
	requestedAt := lf.TimestampOf(a.Now().Add(-plan.RequestMargin))
	leg, content := specification.TransferLeg, []any{}
	var allocated validator.Composed[token.AllocationInstructionResult]
	if of := req.Body.Instrument; of != nil {
		if err := a.instruments.CheckPayment(*of, req.Body.TrustedPackages); err != nil {
			return response, err
		}
		specification.TransferLeg.InstrumentID = token.InstrumentID{Admin: of.Admin, ID: of.ID}
		allocated = a.instruments.Allocate(ctx, w, id, specification, requestedAt, req.Body.TrustedPackages)
		content = []any{of.Admin, of.ID}
	} else {
		allocated = a.composeAllocation(ctx, w, id, specification, requestedAt)
	}
	allocated.Name, err = validator.Named("transfer_leg_id", specification.TransferLegID, append([]any{
		leg.Receiver, leg.Amount, leg.Meta.Values, specification.Settlement.Meta.Values,
	}, content...)...)
	if err != nil {
		return response, err
	}
	result, err := allocated.Submit(ctx, a.Base)
	if err != nil {
		settlement := specification.Settlement
		return response, a.ExplainLate(err,
			validator.DeadlineOf("settlement.allocate_before", settlement.AllocateBefore.Time()),
			validator.DeadlineOf("settlement.settle_before", settlement.SettleBefore.Time()))
	}
	return toAPIAllocation(result), nil
}

// composeAllocation composes an allocation of the caller's coin.
func (a *API) composeAllocation(
	ctx context.Context, w validator.Owner, id string, specification token.AllocationSpecification,
	requestedAt lf.Timestamp,
) validator.Composed[token.AllocationInstructionResult] {
	return composePayment[token.AllocationInstructionResult](a, w, id, "WalletAppInstall_AllocationFactory_Allocate",
		func(v plan.View) (argument walletapp.InstallAllocationFactoryAllocate, err error) {
			argument.AllocateArg = token.AllocationFactoryAllocate{
				ExpectedAdmin: a.Node.DSO, Allocation: specification, RequestedAt: requestedAt,
			}
			if _, err := a.Network(ctx); err != nil {
				return argument, err
			}
			network, err := registryNetwork(v)
			if err != nil {
				return argument, err
			}
			if argument.AllocateArg.InputHoldingCids, err = network.Inputs(v, w.Party); err != nil {
				return argument, err
			}
			argument.AllocationFactory = lf.CID[token.AllocationFactory](network.Factory.ID)
			argument.AllocateArg.ExtraArgs, err = extraArgs(network.AllocationFactory())
			return argument, err
		})
}

func toAPIAllocation(result token.AllocationInstructionResult) (response AllocateAmuletResponse) {
	response.SenderChangeCids, response.Meta = contractIDs(result.SenderChangeCids), result.Meta.Values
	switch output := result.Output; {
	case output.Completed != nil:
		id := output.Completed.AllocationCid.ID()
		response.Output.AllocationID = &id
	case output.Pending != nil:
		id := output.Pending.AllocationInstructionCid.ID()
		response.Output.InstructionID = &id
	}
	return response
}

// decodeAllocation decodes the request's fields.
func (a *API) decodeAllocation(
	w validator.Owner, body AllocateAmuletRequest,
) (token.AllocationSpecification, error) {
	var read fields
	settlement, leg := body.Settlement, body.TransferLeg
	specification := token.AllocationSpecification{
		Settlement: token.SettlementInfo{
			Executor: read.party("settlement.executor", settlement.Executor),
			SettlementRef: token.Reference{
				ID: settlement.SettlementRef.ID, CID: (*lf.CID[token.AnyContract])(settlement.SettlementRef.CID),
			},
			RequestedAt:    read.time("settlement.requested_at", settlement.RequestedAt),
			AllocateBefore: read.time("settlement.allocate_before", settlement.AllocateBefore),
			SettleBefore:   read.time("settlement.settle_before", settlement.SettleBefore),
			Meta:           token.Metadata{Values: settlement.Meta},
		},
		TransferLegID: body.TransferLegID,
		TransferLeg: token.TransferLeg{
			Sender: w.Party, Receiver: read.party("transfer_leg.receiver", leg.Receiver),
			Amount: read.amount("transfer_leg.amount", leg.Amount), InstrumentID: a.instrument(),
			Meta: token.Metadata{Values: leg.Meta},
		},
	}
	return specification, read.err
}

// ListAllocationsResponse has the allocations of the caller's coin.
type ListAllocationsResponse struct {
	Allocations []ListedAllocation `json:"allocations" required:"true" doc:"Oldest first; at most 1000"`

	OtherAllocations []instruments.ClaimedContract `json:"other_allocations" required:"true" doc:"Of tokens of uploaded packages, as their code claims them"`
}

// ListedAllocation is an element of a list.
type ListedAllocation struct {
	Contract v0.Contract `json:"contract" required:"true" doc:"The contract"`
}

func (a *API) listAllocations(ctx context.Context, _ endpoint.NoRequest) (response ListAllocationsResponse, err error) {
	isSender := func(w validator.Owner, c coin.AmuletAllocation) bool {
		return c.Allocation.TransferLeg.Sender == w.Party
	}
	contracts, err := listContractsIf(ctx, a, "listAmuletAllocations", isSender)
	for _, c := range contracts {
		response.Allocations = append(response.Allocations, ListedAllocation{c})
	}
	if err != nil {
		return response, err
	}
	w, err := a.Caller(ctx, "listAmuletAllocations")
	if err != nil {
		return response, err
	}
	response.OtherAllocations, err = a.instruments.Allocations(ctx, w.Party)
	return response, err
}

// WithdrawAllocationResponse has the released coin.
type WithdrawAllocationResponse struct {
	SenderHoldingCids []ledger.ContractID `json:"sender_holding_cids" required:"true" doc:"The coin that came back"`
	Meta              map[string]string   `json:"meta" required:"true" doc:"Metadata of the token standard"`
}

func (a *API) withdrawAllocation(
	ctx context.Context, req answerTransferRequest,
) (none validator.Composed[WithdrawAllocationResponse], err error) {
	w, err := a.Caller(ctx, "withdrawAmuletAllocation")
	if err != nil {
		return none, err
	}
	other, ok, err := a.instruments.WithdrawAllocation(ctx, w, req.ID, req.Body.TrustedPackages)
	if err != nil || ok {
		return validator.MapAnswer(other, toAPIWithdrawal), err
	}
	withdrawn := composePayment[token.AllocationWithdrawResult](a, w, "", "WalletAppInstall_Allocation_Withdraw",
		func(v plan.View) (argument walletapp.InstallAllocationWithdraw, err error) {
			allocation, err := validator.ActiveByID[coin.AmuletAllocation](ctx, a.Base, w.Party, req.ID)
			if isNotFound(err) {
				return argument, v0.NotFound("AmuletAllocation '%s' not found.", req.ID)
			}
			if err != nil {
				return argument, err
			}
			locked, err := registry.LockedOfAllocation(a.Packages, allocation.Contract)
			if err != nil {
				return argument, err
			}
			argument.AllocationCid = lf.CID[token.Allocation](allocation.ID)
			argument.WithdrawArg.ExtraArgs, err = a.lockedArgs(ctx, v, locked, releaseContext)
			return argument, err
		})
	return validator.MapAnswer(withdrawn, toAPIWithdrawal), nil
}

func toAPIWithdrawal(result token.AllocationWithdrawResult) (WithdrawAllocationResponse, error) {
	return WithdrawAllocationResponse{
		SenderHoldingCids: contractIDs(result.SenderHoldingCids), Meta: result.Meta.Values,
	}, nil
}
