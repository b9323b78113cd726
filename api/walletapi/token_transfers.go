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

// CreateTokenStandardTransferRequest transfers coin by the token standard: at once if the receiver has a preapproval,
// otherwise when it accepts. With an instrument it transfers another token.
type CreateTokenStandardTransferRequest struct {
	endpoint.Strict

	ReceiverPartyID string `json:"receiver_party_id" required:"true" doc:"Receiver of the coin"`
	Amount          string `json:"amount" required:"true" doc:"In coin, or in the instrument"`
	Description     string `json:"description" required:"true" doc:"Text for the receiver"`
	ExpiresAt       int64  `json:"expires_at" required:"true" doc:"Deadline to accept; microseconds since 1970"`
	TrackingID      string `json:"tracking_id" required:"true" doc:"Name that the sender chooses; the node makes one transfer with it"`

	Instrument      *instruments.InstrumentID `json:"instrument" doc:"The token of an uploaded package to send; null for coin"`
	TrustedPackages []string                  `json:"trusted_packages" doc:"With instrument: names of the packages whose code may act in the sender's name, on their own contracts"`
}

// TokenStandardTransferResponse is the result of a transfer.
type TokenStandardTransferResponse struct {
	Output           TransferOutput      `json:"output" required:"true" doc:"The outcome"`
	SenderChangeCids []ledger.ContractID `json:"sender_change_cids" required:"true" doc:"Change that the sender got back"`
	Meta             map[string]string   `json:"meta" required:"true" doc:"Metadata of the token standard"`
}

// TransferOutput is the output of a transfer: an instruction while it is pending, coin when it is completed, and
// nothing when it failed.
type TransferOutput struct {
	InstructionID *ledger.ContractID   `json:"transfer_instruction_cid" doc:"The instruction that the receiver has to accept"`
	HoldingIDs    *[]ledger.ContractID `json:"receiver_holding_cids" doc:"The receiver's new coin"`
}

// MarshalJSON writes only the field that is set.
func (o TransferOutput) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		InstructionID *ledger.ContractID   `json:"transfer_instruction_cid,omitempty"`
		HoldingIDs    *[]ledger.ContractID `json:"receiver_holding_cids,omitempty"`
	}(o))
}

type createTokenStandardTransferRequest struct {
	Body CreateTokenStandardTransferRequest `body:"json"`
}

// reasonKey is the token standard's key for the sender's text.
const reasonKey = "splice.lfdecentralizedtrust.org/reason"

func (a *API) createTokenStandardTransfer(
	ctx context.Context, req createTokenStandardTransferRequest,
) (none validator.Composed[TokenStandardTransferResponse], err error) {
	w, err := a.Caller(ctx, "createTokenStandardTransfer")
	if err != nil {
		return none, err
	}
	var read fields
	receiver := read.party("receiver_party_id", req.Body.ReceiverPartyID)
	amount := read.tokenAmount("amount", req.Body.Amount)
	expiresAt := read.time("expires_at", req.Body.ExpiresAt)
	if read.err != nil {
		return none, read.err
	}
	requestedAt, err := a.requestedAt(ctx, expiresAt)
	if err != nil {
		return none, err
	}
	transfer := token.Transfer{
		Sender: w.Party, Receiver: receiver, Amount: amount, InstrumentID: a.instrument(),
		RequestedAt: requestedAt, ExecuteBefore: expiresAt,
		Meta: token.Metadata{Values: map[string]string{reasonKey: req.Body.Description}},
	}
	if req.Body.Instrument != nil {
		return a.transferOther(ctx, w, req.Body, transfer)
	}
	id := commandID("createTokenStandardTransfer", []ledger.Party{w.Party}, req.Body.TrackingID)
	transferred := composePayment[token.TransferInstructionResult](a, w, id, "WalletAppInstall_TransferFactory_Transfer",
		func(v plan.View) (walletapp.InstallTransferFactoryTransfer, error) {
			return a.composeTransfer(ctx, v, w, transfer)
		})
	transferred.Name, err = validator.Named("tracking_id", req.Body.TrackingID, receiver, amount, req.Body.Description)
	if err != nil {
		return none, err
	}
	transferred.Explain = func(err error) error {
		return a.ExplainLate(err, validator.DeadlineOf("expires_at", expiresAt.Time()))
	}
	return validator.MapAnswer(transferred, toAPITransfer), nil
}

// transferOther transfers a token that is not the coin.
func (a *API) transferOther(
	ctx context.Context, w validator.Owner, body CreateTokenStandardTransferRequest, transfer token.Transfer,
) (none validator.Composed[TokenStandardTransferResponse], err error) {
	trust := instruments.Trust(body.TrustedPackages)
	if err := a.instruments.CheckPayment(*body.Instrument, trust); err != nil {
		return none, err
	}
	transfer.InstrumentID = token.InstrumentID{Admin: body.Instrument.Admin, ID: body.Instrument.ID}
	id := commandID("createTokenStandardTransfer", []ledger.Party{w.Party}, body.TrackingID)
	transferred := a.instruments.Transfer(ctx, w, id, transfer, trust)
	transferred.Name, err = validator.Named("tracking_id", body.TrackingID, transfer.Receiver, transfer.Amount,
		body.Description, body.Instrument.Admin, body.Instrument.ID)
	return validator.MapAnswer(transferred, toAPITransfer), err
}

// requestedAt is the request time of a transfer: somewhat in the past, but not so far that executeBefore exceeds the
// maximum duration of a transfer, so that the sender can use all of it.
func (a *API) requestedAt(ctx context.Context, executeBefore lf.Timestamp) (lf.Timestamp, error) {
	n, err := a.Network(ctx)
	if err != nil {
		return 0, err
	}
	now := lf.TimestampOf(a.Now())
	requested := lf.TimestampOf(a.Now().Add(-plan.RequestMargin))
	earliest := lf.TimestampOf(executeBefore.Time().Add(-n.Rules.Payload.LongestTransfer()))
	if earliest > requested && earliest <= now {
		return earliest, nil
	}
	return requested, nil
}

// composeTransfer composes a transfer from the sender's coin and the registry's factory and context.
func (a *API) composeTransfer(
	ctx context.Context, v plan.View, w validator.Owner, transfer token.Transfer,
) (argument walletapp.InstallTransferFactoryTransfer, err error) {
	network, err := registryNetwork(v)
	if err != nil {
		return argument, err
	}
	if transfer.InputHoldingCids, err = network.Inputs(v, w.Party); err != nil {
		return argument, err
	}
	preapproval, right, err := a.findUsedPreapproval(ctx, v, transfer.Receiver)
	if err != nil {
		return argument, err
	}
	factory := network.TransferFactory(transfer.Sender, transfer.Receiver, preapproval.Stored(), right.Stored())
	args, err := extraArgs(factory.Context)
	return walletapp.InstallTransferFactoryTransfer{
		TransferFactoryCid: lf.CID[token.TransferFactory](factory.FactoryID),
		TransferArg: token.TransferFactoryTransfer{
			ExpectedAdmin: a.Node.DSO, Transfer: transfer, ExtraArgs: args,
		},
	}, err
}

func toAPITransfer(result token.TransferInstructionResult) (TokenStandardTransferResponse, error) {
	response := TokenStandardTransferResponse{
		SenderChangeCids: contractIDs(result.SenderChangeCids), Meta: result.Meta.Values,
	}
	switch output := result.Output; {
	case output.Pending != nil:
		id := output.Pending.TransferInstructionCid.ID()
		response.Output.InstructionID = &id
	case output.Completed != nil:
		ids := contractIDs(output.Completed.ReceiverHoldingCids)
		response.Output.HoldingIDs = &ids
	}
	return response, nil
}

// ListTokenStandardTransfersResponse has the pending transfers.
type ListTokenStandardTransfersResponse struct {
	Transfers []v0.Contract `json:"transfers" required:"true" doc:"Of coin, to and from the caller, oldest first; at most 1000"`

	OtherTransfers []instruments.ClaimedContract `json:"other_transfers" required:"true" doc:"Of tokens of uploaded packages, as their code claims them"`
}

func (a *API) listTokenStandardTransfers(
	ctx context.Context, _ endpoint.NoRequest,
) (ListTokenStandardTransfersResponse, error) {
	transfers, err := listContracts[coin.AmuletTransferInstruction](ctx, a, "listTokenStandardTransfers")
	if err != nil {
		return ListTokenStandardTransfersResponse{}, err
	}
	w, err := a.Caller(ctx, "listTokenStandardTransfers")
	if err != nil {
		return ListTokenStandardTransfersResponse{}, err
	}
	others, err := a.instruments.Transfers(ctx, w.Party)
	return ListTokenStandardTransfersResponse{transfers, others}, err
}

// answerTransferRequest answers a pending transfer, of coin or of another token.
type answerTransferRequest struct {
	ID   string       `path:"contract_id" doc:"The transfer"`
	Body TrustRequest `body:"json"`
}

// TrustRequest names the packages that the caller trusts. It is empty for coin.
type TrustRequest struct {
	endpoint.Strict

	TrustedPackages []string `json:"trusted_packages" doc:"For a token of an uploaded package: names of the packages whose code may act in the caller's name, on their own contracts"`
}

// answerInstruction composes the end of a pending transfer: accepted, rejected or withdrawn. The context depends on
// whether its coin is still locked.
func answerInstruction[A any](
	ctx context.Context, a *API, req answerTransferRequest, answer instruments.Answer, operation, choice string,
	context func(registry.Network, registry.LockedCoin, *ledger.Contract) (registry.Context, error),
	argument func(lf.CID[token.TransferInstruction], token.ExtraArgs) A,
) (none validator.Composed[TokenStandardTransferResponse], err error) {
	w, err := a.Caller(ctx, operation)
	if err != nil {
		return none, err
	}
	id := req.ID
	other, ok, err := a.instruments.AnswerTransfer(ctx, w, id, answer, req.Body.TrustedPackages)
	if err != nil || ok {
		return validator.MapAnswer(other, toAPITransfer), err
	}
	answered := composePayment[token.TransferInstructionResult](a, w, "", choice, func(v plan.View) (none A, err error) {
		instruction, err := validator.ActiveByID[coin.AmuletTransferInstruction](ctx, a.Base, w.Party, id)
		if isNotFound(err) {
			return none, v0.NotFound("AmuletTransferInstruction '%s' not found.", id)
		}
		if err != nil {
			return none, err
		}
		locked, err := registry.LockedOfInstruction(a.Packages, instruction.Contract)
		if err != nil {
			return none, err
		}
		args, err := a.lockedArgs(ctx, v, locked, context)
		return argument(lf.CID[token.TransferInstruction](instruction.ID), args), err
	})
	return validator.MapAnswer(answered, toAPITransfer), nil
}

// lockedArgs composes the context of a choice about locked coin.
func (a *API) lockedArgs(
	ctx context.Context, v plan.View, locked registry.LockedCoin,
	compose func(registry.Network, registry.LockedCoin, *ledger.Contract) (registry.Context, error),
) (args token.ExtraArgs, err error) {
	amulet, err := a.findActive(ctx, locked.ID)
	if err != nil {
		return args, err
	}
	network, err := registryNetwork(v)
	if err != nil {
		return args, err
	}
	composed, err := compose(network.Network, locked, amulet)
	if err != nil {
		return args, orNotFound(err)
	}
	return extraArgs(composed)
}

// releaseContext is the context of choices that release locked coin.
func releaseContext(n registry.Network, _ registry.LockedCoin, amulet *ledger.Contract) (registry.Context, error) {
	return n.Release(amulet), nil
}

func (a *API) acceptTokenStandardTransfer(
	ctx context.Context, req answerTransferRequest,
) (validator.Composed[TokenStandardTransferResponse], error) {
	return answerInstruction(ctx, a, req, instruments.Accept, "acceptTokenStandardTransfer",
		"WalletAppInstall_TransferInstruction_Accept", registry.Network.Accept,
		func(id lf.CID[token.TransferInstruction], args token.ExtraArgs) walletapp.InstallTransferInstructionAccept {
			return walletapp.InstallTransferInstructionAccept{
				TransferInstructionCid: id, AcceptArg: token.TransferInstructionAccept{ExtraArgs: args},
			}
		})
}

func (a *API) rejectTokenStandardTransfer(
	ctx context.Context, req answerTransferRequest,
) (validator.Composed[TokenStandardTransferResponse], error) {
	return answerInstruction(ctx, a, req, instruments.Reject, "rejectTokenStandardTransfer",
		"WalletAppInstall_TransferInstruction_Reject", releaseContext,
		func(id lf.CID[token.TransferInstruction], args token.ExtraArgs) walletapp.InstallTransferInstructionReject {
			return walletapp.InstallTransferInstructionReject{
				TransferInstructionCid: id, RejectArg: token.TransferInstructionReject{ExtraArgs: args},
			}
		})
}

func (a *API) withdrawTokenStandardTransfer(
	ctx context.Context, req answerTransferRequest,
) (validator.Composed[TokenStandardTransferResponse], error) {
	return answerInstruction(ctx, a, req, instruments.Withdraw, "withdrawTokenStandardTransfer",
		"WalletAppInstall_TransferInstruction_Withdraw", releaseContext,
		func(id lf.CID[token.TransferInstruction], args token.ExtraArgs) walletapp.InstallTransferInstructionWithdraw {
			return walletapp.InstallTransferInstructionWithdraw{
				TransferInstructionCid: id, WithdrawArg: token.TransferInstructionWithdraw{ExtraArgs: args},
			}
		})
}
