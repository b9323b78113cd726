package ledgerapi

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The endpoints that find one update by offset, id or hash, in the present form and in the older forms.

// JsGetUpdateResponse is one update.
type JsGetUpdateResponse struct {
	Update Update `json:"update" doc:"The update"`
}

// GetUpdateByOffsetRequest asks for the update at an offset.
type GetUpdateByOffsetRequest struct {
	Offset       int64         `json:"offset" required:"true" doc:"The offset"`
	UpdateFormat *UpdateFormat `json:"updateFormat" required:"true" doc:"What to show"`
}

// GetUpdateByIDRequest asks for an update by its id.
type GetUpdateByIDRequest struct {
	UpdateID     string        `json:"updateId" required:"true" doc:"The id"`
	UpdateFormat *UpdateFormat `json:"updateFormat" required:"true" doc:"What to show"`
}

// GetUpdateByHashRequest asks for the update of an externally signed transaction by its hash.
type GetUpdateByHashRequest struct {
	TransactionHash TransactionHash `json:"transactionHash" required:"true" doc:"The hash, in base64 or hexadecimal"`
	UpdateFormat    *UpdateFormat   `json:"updateFormat" required:"true" doc:"What to show"`
}

type updateByHashRequest struct {
	Body GetUpdateByHashRequest `body:"json"`
}

type updateByOffsetRequest struct {
	Body GetUpdateByOffsetRequest `body:"json"`
}

type updateByIDRequest struct {
	Body GetUpdateByIDRequest `body:"json"`
}

// GetTransactionByOffsetRequest asks for the transaction at an offset.
type GetTransactionByOffsetRequest struct {
	Offset            int64              `json:"offset" required:"true" doc:"The offset"`
	RequestingParties []string           `json:"requestingParties" doc:"Older form of the format: all they see"`
	TransactionFormat *TransactionFormat `json:"transactionFormat" doc:"What to show; not with requestingParties"`
}

// GetTransactionByIDRequest asks for a transaction by its id.
type GetTransactionByIDRequest struct {
	UpdateID          string             `json:"updateId" required:"true" doc:"The id"`
	RequestingParties []string           `json:"requestingParties" doc:"Older form of the format: all they see"`
	TransactionFormat *TransactionFormat `json:"transactionFormat" doc:"What to show; not with requestingParties"`
}

// JsGetTransactionResponse is one transaction.
type JsGetTransactionResponse struct {
	Transaction JsTransaction `json:"transaction" required:"true" doc:"The transaction"`
}

type transactionByOffsetRequest struct {
	Body GetTransactionByOffsetRequest `body:"json"`
}

type transactionByIDRequest struct {
	Body GetTransactionByIDRequest `body:"json"`
}

func (a *API) updateByOffset(ctx context.Context, req updateByOffsetRequest) (JsGetUpdateResponse, error) {
	format, err := a.lookupFormat(ctx, req.Body.UpdateFormat)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	return a.showUpdate(ctx, atOffset(req.Body.Offset), format)
}

func (a *API) updateByID(ctx context.Context, req updateByIDRequest) (JsGetUpdateResponse, error) {
	format, err := a.lookupFormat(ctx, req.Body.UpdateFormat)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	return a.showUpdate(ctx, withID(req.Body.UpdateID), format)
}

func (a *API) updateByHash(ctx context.Context, req updateByHashRequest) (JsGetUpdateResponse, error) {
	format, err := a.lookupFormat(ctx, req.Body.UpdateFormat)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	return a.showUpdate(ctx, withHash(req.Body.TransactionHash), format)
}

func (a *API) transactionByOffset(
	ctx context.Context, req transactionByOffsetRequest,
) (JsGetTransactionResponse, error) {
	format, err := a.olderFormat(ctx, req.Body.RequestingParties, req.Body.TransactionFormat)
	if err != nil {
		return JsGetTransactionResponse{}, err
	}
	return a.showTransaction(ctx, atOffset(req.Body.Offset), format)
}

func (a *API) transactionByID(ctx context.Context, req transactionByIDRequest) (JsGetTransactionResponse, error) {
	format, err := a.olderFormat(ctx, req.Body.RequestingParties, req.Body.TransactionFormat)
	if err != nil {
		return JsGetTransactionResponse{}, err
	}
	return a.showTransaction(ctx, withID(req.Body.UpdateID), format)
}

func (a *API) lookupFormat(ctx context.Context, wire *UpdateFormat) (*updateFormat, error) {
	if wire == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return nil, err
		}
		return nil, fault.MissingFieldNamed("update_format")
	}
	return a.fromAPIUpdateFormat(ctx, *wire)
}

// olderFormat reads either form of a transaction format.
func (a *API) olderFormat(
	ctx context.Context, requesting []string, wire *TransactionFormat,
) (*transactionFormat, error) {
	if wire == nil {
		return a.formatFor(ctx, requesting, ShapeACSDelta)
	}
	format, err := a.fromAPITransactionFormat(ctx, *wire)
	if err == nil && len(requesting) > 0 {
		return nil, fault.InvalidArgumentf("Both transaction_format and requesting_parties are specified").
			WithHint("Send transactionFormat only.")
	}
	return format, err
}

// formatFor selects everything that the parties see.
func (a *API) formatFor(ctx context.Context, parties []string, shape TransactionShape) (*transactionFormat, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return nil, err
	}
	if err := claims.RequireReadAs(v2.FromAPIParties(parties)...); err != nil {
		return nil, err
	}
	if len(parties) == 0 {
		return nil, fault.InvalidArgumentf("the request names no party to read as").
			WithHint("Name at least one party whose transactions you may read.")
	}
	if err := v2.CheckParties(parties); err != nil {
		return nil, err
	}
	return &transactionFormat{events: wildcardFor(v2.FromAPIParties(parties)...), shape: shape}, nil
}

type lookup struct {
	check func() error
	find  func(context.Context, UpdateRecord) (ledger.Update, bool, error)
	// resource and value name the update in errors.
	resource, value string
}

// atOffset is the update at an offset.
func atOffset(offset int64) lookup {
	return lookup{
		check: func() error {
			if offset <= 0 {
				return fault.NonPositiveOffsetIn("offset", offset)
			}
			return nil
		},
		find: func(ctx context.Context, record UpdateRecord) (ledger.Update, bool, error) {
			return record.UpdateByOffset(ctx, ledger.Offset(offset))
		},
		resource: "OFFSET", value: strconv.FormatInt(offset, 10),
	}
}

// updateIDPrefix marks a SHA-256 hash.
const updateIDPrefix = "1220"

// withID is the update of an id.
func withID(id string) lookup {
	return lookup{
		check: func() error {
			if id == "" {
				return fault.MissingFieldNamed("update_id")
			}
			if _, err := hex.DecodeString(id); err != nil || !strings.HasPrefix(id, updateIDPrefix) {
				return fault.InvalidArgumentf("update id %q is not %s followed by hexadecimal digits", id, updateIDPrefix)
			}
			return nil
		},
		find: func(ctx context.Context, record UpdateRecord) (ledger.Update, bool, error) {
			return record.UpdateByID(ctx, ledger.UpdateID(id))
		},
		resource: "UPDATE_ID", value: id,
	}
}

// withHash is the update of an externally signed transaction.
func withHash(hash TransactionHash) lookup {
	return lookup{
		check: hash.check,
		find: func(ctx context.Context, record UpdateRecord) (ledger.Update, bool, error) {
			return record.UpdateByHash(ctx, hash.hex())
		},
		resource: transactionHashResource, value: hash.hex(),
	}
}

// seek finds an update, or returns a fault.
func (a *API) seek(ctx context.Context, wanted lookup) (ledger.Update, error) {
	if err := wanted.check(); err != nil {
		return ledger.Update{}, err
	}
	update, found, err := wanted.find(ctx, a.record)
	if err != nil {
		return ledger.Update{}, err
	}
	if !found {
		return ledger.Update{}, wanted.notFound()
	}
	return update, nil
}

func (l lookup) notFound() error { return fault.UpdateNotFoundAt(l.resource, l.value) }

// showUpdate finds and converts an update. Without a visible part it is not found.
func (a *API) showUpdate(ctx context.Context, wanted lookup, format *updateFormat) (JsGetUpdateResponse, error) {
	update, err := a.seek(ctx, wanted)
	if err != nil {
		return JsGetUpdateResponse{}, err
	}
	shown, ok, err := a.toAPIUpdate(ctx, update, format)
	if err == nil && !ok {
		err = wanted.notFound()
	}
	return JsGetUpdateResponse{shown}, err
}

// showTransaction is showUpdate for transactions.
func (a *API) showTransaction(
	ctx context.Context, wanted lookup, format *transactionFormat,
) (JsGetTransactionResponse, error) {
	update, err := a.seek(ctx, wanted)
	if err != nil {
		return JsGetTransactionResponse{}, err
	}
	transaction, err := a.toAPITransaction(ctx, update, format)
	if err == nil && len(transaction.Events) == 0 {
		err = wanted.notFound()
	}
	return JsGetTransactionResponse{Transaction: transaction}, err
}
