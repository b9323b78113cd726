// Package calls submits over gRPC what package client submits over HTTP, for tests and for measurements.
package calls

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/api/grpcapi/mapping"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
)

// Client submits commands on built-in packages.
type Client struct {
	conn                  *grpc.ClientConn
	token                 string
	conversion            *mapping.Conversion
	commands, transaction *mapping.Plan
}

// Dial makes a client for an address. It connects when it is first used.
func Dial(address string) (*Client, error) {
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return nil, err
	}
	c := &Client{conversion: &mapping.Conversion{Packages: packages}}
	planner := mapping.NewPlanner()
	c.commands, err = planner.Message((&ledgerpb.Commands{}).ProtoReflect().Descriptor(),
		reflect.TypeFor[ledgerapi.JsCommands]())
	if err != nil {
		return nil, err
	}
	c.transaction, err = planner.Message((&ledgerpb.Transaction{}).ProtoReflect().Descriptor(),
		reflect.TypeFor[ledgerapi.JsTransaction]())
	if err != nil {
		return nil, err
	}
	c.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return c, err
}

// With is the same client with another token.
func (c *Client) With(token string) *Client {
	other := *c
	other.token = token
	return &other
}

// Close ends the connection of this client and of all clients with other tokens.
func (c *Client) Close() error { return c.conn.Close() }

// Submit returns when the node has stored the submission durably; the completion comes later.
func (c *Client) Submit(ctx context.Context, commands client.Commands) error {
	message, err := c.encode(commands)
	if err != nil {
		return err
	}
	return c.call(ctx, "CommandSubmissionService/Submit", &ledgerpb.SubmitRequest{Commands: message},
		&ledgerpb.SubmitResponse{})
}

// SubmitAndWait submits and waits until the transaction is committed. A refused submission is a [client.Error].
func (c *Client) SubmitAndWait(ctx context.Context, commands client.Commands) (client.Outcome, error) {
	message, err := c.encode(commands)
	if err != nil {
		return client.Outcome{}, err
	}
	var done ledgerpb.SubmitAndWaitResponse
	err = c.call(ctx, "CommandService/SubmitAndWait", &ledgerpb.SubmitAndWaitRequest{Commands: message}, &done)
	return client.Outcome{UpdateID: done.GetUpdateId(), CompletionOffset: done.GetCompletionOffset()}, err
}

// SubmitAndWaitForTransaction is [Client.SubmitAndWait] that returns what the acting and reading parties see.
func (c *Client) SubmitAndWaitForTransaction(
	ctx context.Context, commands client.Commands,
) (out client.Transaction, err error) {
	message, err := c.encode(commands)
	if err != nil {
		return out, err
	}
	var done ledgerpb.SubmitAndWaitForTransactionResponse
	if err := c.call(ctx, "CommandService/SubmitAndWaitForTransaction",
		&ledgerpb.SubmitAndWaitForTransactionRequest{Commands: message}, &done); err != nil {
		return out, err
	}
	var wire ledgerapi.JsTransaction
	err = c.transaction.Decode(c.conversion, done.GetTransaction().ProtoReflect(), reflect.ValueOf(&wire).Elem())
	if err != nil {
		return out, err
	}
	text, err := json.Marshal(wire)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

func (c *Client) encode(commands client.Commands) (*ledgerpb.Commands, error) {
	text, err := json.Marshal(commands)
	if err != nil {
		return nil, err
	}
	var wire ledgerapi.JsCommands
	if err := json.Unmarshal(text, &wire); err != nil {
		return nil, err
	}
	encoded, err := c.commands.Append(nil, c.conversion, reflect.ValueOf(wire))
	if err != nil {
		return nil, err
	}
	out := &ledgerpb.Commands{}
	return out, proto.Unmarshal(encoded, out)
}

func (c *Client) call(ctx context.Context, method string, in, out proto.Message) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.token)
	return asClientError(c.conn.Invoke(ctx, "/com.daml.ledger.api.v2."+method, in, out))
}

// asClientError turns a refusal into the error that a client over HTTP has. Other statuses, such as that of a broken
// connection, stay.
func asClientError(err error) error {
	said, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	refused := &client.Error{Cause: said.Message(), Body: []byte(said.String())}
	for _, detail := range said.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			refused.Code, refused.Context = info.GetReason(), info.GetMetadata()
			refused.Category, err = strconv.Atoi(refused.Context["category"])
			refused.Status = fault.Category(refused.Category).HTTP()
			return errors.Join(refused, err)
		}
	}
	switch said.Code() { // the errors that have no details
	case codes.Unauthenticated:
		refused.Status = http.StatusUnauthorized
	case codes.PermissionDenied:
		refused.Status = http.StatusForbidden
	case codes.Internal:
		refused.Status = http.StatusInternalServerError
	default:
		return err
	}
	return refused
}
