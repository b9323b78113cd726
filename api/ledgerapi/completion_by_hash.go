package ledgerapi

import (
	"context"
	"encoding/base64"
	"encoding/hex"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// transactionHashResource is the resource type of a transaction hash in errors.
const transactionHashResource = "TRANSACTION_HASH"

// maxRejections is the maximum number of refused completions in one answer, as upstream.
const maxRejections = 10

// TransactionHash is the signed hash as text: base64, as in answers of prepare, or hexadecimal, as in transactions.
type TransactionHash string

const hashBytes = 32

// decode reads the 32 bytes; nil for an invalid text. The two forms differ in length.
func (h TransactionHash) decode() []byte {
	if content, err := hex.DecodeString(string(h)); err == nil && len(content) == hashBytes {
		return content
	}
	if content, err := base64.StdEncoding.DecodeString(string(h)); err == nil && len(content) == hashBytes {
		return content
	}
	return nil
}

// hex returns the hash in the form of the record.
func (h TransactionHash) hex() string { return hex.EncodeToString(h.decode()) }

func (h TransactionHash) check() error {
	if h == "" {
		return fault.MissingFieldNamed("transaction_hash")
	}
	if h.decode() == nil {
		return fault.InvalidFieldNamed("transaction_hash",
			"it must be a hash of 32 bytes, in base64 (44 characters) or hexadecimal (64 digits)")
	}
	return nil
}

// GetCompletionByHashRequest asks for the completions of an externally signed transaction.
type GetCompletionByHashRequest struct {
	TransactionHash TransactionHash `json:"transactionHash" required:"true" doc:"The hash, in base64 or hexadecimal"`
}

// GetCompletionByHashResponse has the completions of one transaction that the caller may see.
type GetCompletionByHashResponse struct {
	AcceptedCompletion      *Completion  `json:"acceptedCompletion,omitempty" doc:"The accepted one, if any"`
	LastRejectedCompletions []Completion `json:"lastRejectedCompletions" doc:"The last refused ones, newest first"`
}

type completionByHashRequest struct {
	Body GetCompletionByHashRequest `body:"json"`
}

func (a *API) completionByHash(
	ctx context.Context, req completionByHashRequest,
) (response GetCompletionByHashResponse, err error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return response, err
	}
	hash := req.Body.TransactionHash
	if err := hash.check(); err != nil {
		return response, err
	}
	parties, _ := claims.ReadableParties() // nil for all
	found, err := a.record.CompletionsByHash(ctx, hash.hex(), parties, maxRejections)
	if err != nil {
		return response, err
	}
	if len(found) == 0 {
		return response, fault.CompletionNotFound.New("Completion not found, or not visible.").
			WithResource(transactionHashResource, hash.hex())
	}
	for _, completion := range found {
		shown := a.toAPICompletion(claims, completion, claims.CanReadAs)
		if completion.Accepted() {
			response.AcceptedCompletion = &shown
			continue
		}
		response.LastRejectedCompletions = append(response.LastRejectedCompletions, shown)
	}
	return response, nil
}
