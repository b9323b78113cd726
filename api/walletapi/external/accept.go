package external

import (
	"context"
	"encoding/hex"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/signing"
)

// PrepareAcceptExternalPartySetupProposalRequest asks for the acceptance of a proposal, for signing (contract,
// /v0/admin/external-party/setup-proposal/prepare-accept).
type PrepareAcceptExternalPartySetupProposalRequest struct {
	endpoint.Strict

	ContractID     string `json:"contract_id" required:"true" doc:"The ExternalPartySetupProposal"`
	UserPartyID    string `json:"user_party_id" required:"true" doc:"The external party"`
	VerboseHashing bool   `json:"verbose_hashing" doc:"Whether to explain how the hash is computed"`
}

// PrepareAcceptExternalPartySetupProposalResponse is a transaction to check and sign.
type PrepareAcceptExternalPartySetupProposalResponse struct {
	Transaction    endpoint.Bytes `json:"transaction" required:"true" doc:"The transaction; send it back with the signature"`
	TxHash         string         `json:"tx_hash" required:"true" doc:"34 bytes in hexadecimal; sign all of them"`
	HashingDetails *string        `json:"hashing_details" doc:"The hashed values, with verbose_hashing"`
}

// SubmitExternalPartyRequest submits a signed transaction.
type SubmitExternalPartyRequest struct {
	endpoint.Strict

	Submission ExternalPartySubmission `json:"submission" required:"true" doc:"The transaction"`
}

// ExternalPartySubmission is a prepared transaction and the signature of its party.
type ExternalPartySubmission struct { //nolint:revive // the name is the API's
	endpoint.Strict

	PartyID      string         `json:"party_id" required:"true" doc:"The party that has signed"`
	Transaction  endpoint.Bytes `json:"transaction" required:"true" doc:"The prepared transaction, unchanged"`
	SignedTxHash string         `json:"signed_tx_hash" required:"true" doc:"The signature, 64 bytes in hexadecimal"`
	PublicKey    string         `json:"public_key" required:"true" doc:"The party's key, 32 bytes in hexadecimal"`
}

// SubmitAcceptExternalPartySetupProposalResponse has the preapproval of the party.
type SubmitAcceptExternalPartySetupProposalResponse struct {
	TransferPreapprovalContractID ledger.ContractID `json:"transfer_preapproval_contract_id" required:"true" doc:"The TransferPreapproval"`
	UpdateID                      ledger.UpdateID   `json:"update_id" required:"true" doc:"The transaction"`
}

type prepareAcceptRequest struct {
	Body PrepareAcceptExternalPartySetupProposalRequest `body:"json"`
}

type submitRequest struct {
	Body SubmitExternalPartyRequest `body:"json"`
}

func (a *API) prepareAccept(
	ctx context.Context, req prepareAcceptRequest,
) (out PrepareAcceptExternalPartySetupProposalResponse, err error) {
	party, err := validator.PartyOf(req.Body.UserPartyID)
	if err != nil {
		return out, err
	}
	proposal, found, err := a.ProposalFor(ctx, party)
	switch {
	case err != nil:
		return out, err
	case !found:
		return out, v0.NotFound("No ExternalPartySetupProposal contract found for %s", party)
	case string(proposal.ID) != req.Body.ContractID:
		return out, v0.BadRequest("Found contract does not match provided contractId.")
	}
	command, err := validator.Exercise[coin.ExternalPartySetupProposal](a.Base, proposal.ID,
		"ExternalPartySetupProposal_Accept", coin.ExternalPartySetupProposalAccept{})
	if err != nil {
		return out, err
	}
	prep, err := a.prepareFor(ctx, party, command, req.Body.VerboseHashing)
	return PrepareAcceptExternalPartySetupProposalResponse{
		Transaction: prep.raw, TxHash: prep.hash, HashingDetails: prep.details,
	}, err
}

// preparation is a transaction for a party to sign.
type preparation struct {
	raw     []byte
	hash    string
	details *string
	// transaction is the interpreted transaction.
	transaction ledger.Transaction
}

// prepareFor prepares a command of an external party, as the JSON Ledger API does.
func (a *API) prepareFor(
	ctx context.Context, party ledger.Party, command ledger.Command, verbose bool,
) (preparation, error) {
	submission := a.Submission(ctx, validator.Change{
		ActAs: []ledger.Party{party}, ReadAs: []ledger.Party{a.Node.DSO}, Commands: []ledger.Command{command},
	})
	transaction, err := preview.Interpret(ctx, a.Packages, a.record, submission)
	if err != nil {
		return preparation{}, err
	}
	built, err := prepared.Build(a.Packages, transaction, prepared.Metadata{
		ActAs: submission.ActAs, CommandID: submission.CommandID, TransactionUUID: uuid.NewString(),
		SynchronizerID:  prepared.SynchronizerOf(a.Node).IDToSign(),
		PreparationTime: transaction.EffectiveAt,
	})
	if err != nil {
		return preparation{}, fault.Internal(err)
	}
	hash, err := built.Hash(prepared.SchemeV2)
	if err != nil {
		return preparation{}, fault.Internal(err)
	}
	prep := preparation{raw: built.Bytes(), hash: prepared.FormatHash(hash), transaction: transaction}
	if verbose {
		details, err := built.HashingDetails(prepared.SchemeV2)
		if err != nil {
			return preparation{}, fault.Internal(err)
		}
		prep.details = &details
	}
	return prep, nil
}

// execute submits a signed transaction and waits. The commit checks the signature and the transaction.
func (a *API) execute(ctx context.Context, given ExternalPartySubmission) (ledger.Update, error) {
	party, err := validator.PartyOf(given.PartyID)
	if err != nil {
		return ledger.Update{}, err
	}
	key, err := publicKeyOf(given.PublicKey)
	if err != nil {
		return ledger.Update{}, err
	}
	signature, ok := signatureBy(key, given.SignedTxHash)
	if !ok {
		return ledger.Update{}, v0.BadRequest("Unable to parse signed tx hash")
	}
	signed := ledger.SignedTransaction{
		Transaction: given.Transaction, Scheme: string(prepared.SchemeV2), Multihash: true,
		Signatures: []ledger.PartySignatures{{Party: party, Signatures: []signing.Signature{signature}}},
	}
	opened, refusal := prepared.OpenSigned(signed, prepared.SynchronizerOf(a.Node), a.Packages)
	if refusal != nil {
		return ledger.Update{}, refusal
	}
	if actAs := opened.Metadata.ActAs; len(actAs) != 1 || actAs[0] != party {
		return ledger.Update{}, v0.BadRequest("The transaction must act for %s only, but it acts for %v.", party, actAs)
	}
	update, err := a.Submit(ctx, validator.Change{
		CommandID: opened.Metadata.CommandID, ActAs: opened.Metadata.ActAs, Signed: &signed,
	})
	if fault.DuplicateConfirmationRequestUUID.Matches(err) {
		return a.findExecuted(ctx, opened, err)
	}
	return update, err
}

// findExecuted finds the update of a signed transaction that was executed before. It belongs to the party, whichever
// operator submits it. It returns refusal if the record has no such update, or if another transaction has the same id.
func (a *API) findExecuted(
	ctx context.Context, opened *prepared.OpenedTransaction, refusal error,
) (ledger.Update, error) {
	completions, err := a.record.CompletionsByHash(ctx, hex.EncodeToString(opened.Hash[:]), opened.Metadata.ActAs, 0)
	if err != nil {
		return ledger.Update{}, err
	}
	for _, completion := range completions {
		if completion.Accepted() {
			update, found, err := a.UpdateLeft(ctx, completion.UpdateID)
			if err != nil || found {
				return update, err
			}
		}
	}
	return ledger.Update{}, refusal // also if the transaction is pruned and its completion is not
}

func (a *API) submitAccept(
	ctx context.Context, req submitRequest,
) (out SubmitAcceptExternalPartySetupProposalResponse, err error) {
	update, err := a.execute(ctx, req.Body.Submission)
	if err != nil {
		return out, err
	}
	preapproval, err := ledger.TemplateName[coin.TransferPreapproval](a.Packages)
	if err != nil {
		return out, fault.Internal(err)
	}
	for _, event := range update.Events {
		if event.Kind == ledger.EventCreate && event.Template == preapproval {
			return SubmitAcceptExternalPartySetupProposalResponse{
				TransferPreapprovalContractID: event.ContractID, UpdateID: update.ID,
			}, nil
		}
	}
	return out, v0.BadRequest("TransferPreapproval contract was not created.")
}
