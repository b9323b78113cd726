package daml

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/fault"
)

// OfNode lets a script call the node of a client.
func OfNode(client *client.Client) script.Node { return nodeCalls{client} }

type nodeCalls struct{ client *client.Client }

// Call sends a request. If the node refuses it, the error is the node's fault.
func (n nodeCalls) Call(ctx context.Context, method, path string, in, out any) error {
	err := n.client.Call(ctx, method, path, in, out)
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Code == "" {
		return err
	}
	told := struct {
		fault.Fault

		Category fault.Category `json:"errorCategory"`
	}{}
	if json.Unmarshal(refused.Body, &told) != nil {
		return err
	}
	told.Fault.Category = told.Category
	return &told.Fault
}

// Wait waits in real time.
func (nodeCalls) Wait(ctx context.Context, d time.Duration) error { return wait.For(ctx, d) }
