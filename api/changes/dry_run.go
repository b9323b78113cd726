package changes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
)

// DryRun is the answer to a request with dry_run=true. Nothing was changed.
type DryRun struct {
	DryRun       bool     `json:"dry_run" required:"true" doc:"true"`
	WouldSucceed bool     `json:"would_succeed" required:"true" doc:"Whether the change would succeed"`
	Path         *string  `json:"path" doc:"Kind of transfer or purchase; see the documentation"`
	Traffic      Traffic  `json:"traffic" required:"true" doc:"Traffic cost of the transactions, which the node pays"`
	Coin         Coin     `json:"coin" required:"true" doc:"Amount by which the balance of the caller's wallet would go down"`
	Merges       int64    `json:"merges" required:"true" doc:"Number of transactions that first merge the caller's coin"`
	Effects      []string `json:"effects" required:"true" doc:"Effects on the caller's coin and contracts, as text"`
	Refusal      *Refusal `json:"refusal" doc:"The error that the request would get; null for none"`
}

// Traffic is the traffic cost of transactions, and the present price of as much traffic.
type Traffic struct {
	Bytes  int64           `json:"bytes" required:"true" doc:"In bytes"`
	Amulet decimal.Decimal `json:"amulet" required:"true" doc:"Their price in coin"`
	USD    decimal.Decimal `json:"usd" required:"true" doc:"Their price in US dollars"`
}

// Coin is an amount of coin and its present value.
type Coin struct {
	Amulet decimal.Decimal `json:"amulet" required:"true" doc:"In coin"`
	USD    decimal.Decimal `json:"usd" required:"true" doc:"In US dollars"`
}

// Refusal is the error that a request would get.
type Refusal struct {
	Status int64  `json:"status" required:"true" doc:"The HTTP status"`
	Error  string `json:"error" required:"true" doc:"The error text"`
	Later  bool   `json:"later" required:"true" doc:"The request succeeds, but the change that automation makes for it fails"`
}

// Preview is the effect of a request, as far as it would get. Endpoints return it together with the error that the
// request would get, if any.
type Preview struct {
	// Answer is the answer without DryRun and WouldSucceed, which the server sets.
	Answer DryRun
	// Later is true if the error comes from what automation does after the answer.
	Later bool
}

// answerDryRun answers with the effect of a request. It has the same authorization as the change.
func answerDryRun(ctx context.Context, exchange endpoint.Exchange) endpoint.Content {
	end, err := endpoint.ReadInTurn(ctx) // it changes nothing
	if err != nil {
		return exchange.Refuse(ctx, err)
	}
	defer end()
	result, refusal := exchange.Preview(ctx)
	preview, ok := result.(Preview)
	if !ok && refusal == nil {
		refusal = fault.Internal(fmt.Errorf("the preview of a change is a %T", result))
	}
	answer := preview.Answer
	answer.DryRun, answer.WouldSucceed = true, refusal == nil
	if answer.Effects == nil {
		answer.Effects = []string{}
	}
	if refusal != nil {
		content := exchange.Refuse(ctx, refusal)
		if content.Status >= http.StatusInternalServerError ||
			content.Status == http.StatusUnauthorized || content.Status == http.StatusForbidden {
			return content
		}
		answer.Refusal = &Refusal{Status: int64(content.Status), Error: textOf(content), Later: preview.Later}
	}
	endpoint.Settle(ctx)
	body, err := json.Marshal(answer)
	if err != nil {
		return exchange.Refuse(ctx, fault.Internal(err))
	}
	return endpoint.Content{Type: "application/json", Body: body}
}

// textOf returns the error text of an answer.
func textOf(content endpoint.Content) string {
	var body v0.ErrorResponse
	if err := json.Unmarshal(content.Body, &body); err != nil {
		return string(content.Body)
	}
	return body.Error
}
