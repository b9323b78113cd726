//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/torture"
)

const (
	goodTemplate = "#goods:G:Good"
	goodEntity   = "G:Good"
	// slowly is the number to which a slow move counts: too long for the head lock.
	slowly = 30_000
)

// uploadGoods uploads the package of goods.
func uploadGoods(t *testing.T, e endpoint) {
	t.Helper()
	require.NoError(t, e.admin().UploadDAR(context.WithoutCancel(t.Context()), dartest.Build(t, dartest.Goods)))
}

// makeGood creates a good of its issuer.
func makeGood(issuer string) client.Command {
	return client.Command{Create: &client.Create{TemplateID: goodTemplate, CreateArguments: map[string]any{
		"issuer": issuer, "owner": issuer, "quantity": "1",
	}}}
}

// moveGood moves a good to another owner, at once or slowly.
func moveGood(id, to string, isSlow bool) client.Command {
	move := &client.Exercise{TemplateID: goodTemplate, ContractID: id, Choice: "Move"}
	argument := map[string]any{"to": to}
	if isSlow {
		move.Choice, argument["number"] = "MoveSlowly", strconv.Itoa(slowly)
	}
	move.ChoiceArgument = argument
	return client.Command{Exercise: move}
}

// goodsIn are the goods that a transaction created.
func goodsIn(transaction client.Transaction) (goods []torture.Contract, err error) {
	for _, created := range transaction.Created(goodEntity) {
		var payload struct {
			Owner string `json:"owner"`
		}
		if err := json.Unmarshal(created.CreateArgument, &payload); err != nil {
			return nil, err
		}
		goods = append(goods, torture.Contract{ID: created.ContractID, Owner: payload.Owner})
	}
	return goods, nil
}
