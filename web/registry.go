package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

// chosenTransfer is a transfer of exactly these coins of the visitor.
type chosenTransfer struct {
	receiver, note     string
	amount             decimal.Decimal
	coins              []string
	requested, expires time.Time
}

// requestMargin dates requests back, because the ledger's clock must not find them in the future.
const requestMargin = time.Minute

// digest tells apart two transfers of one form, such as one of a page that was loaded before.
func (t *chosenTransfer) digest() string {
	content := fmt.Sprintf("%q", []any{t.receiver, t.note, t.amount.String(), t.coins, t.requested.UnixMicro(), t.expires.UnixMicro()})
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:8])
}

// chosenCoins reads coins of the form, each with its id and its amount. The form has the amounts, so that a form that is
// sent twice is the same both times.
func (t *chosenTransfer) chosenCoins(chosen []string) error {
	for _, one := range chosen {
		id, text, _ := strings.Cut(one, " ")
		amount, err := decimal.Parse(text)
		if err == nil {
			t.amount, err = t.amount.Add(amount)
		}
		if err != nil {
			return &problem{Status: http.StatusBadRequest, What: "The form has a coin without an amount."}
		}
		t.coins = append(t.coins, id)
	}
	return nil
}

// isOffer is the kind of a transfer that the receiver has to accept.
const isOffer = "offer"

// compose composes the submission of a transfer with the factory and the contracts of the registry, and tells the kind
// of the transfer.
func (v *visit) compose(t chosenTransfer, once string) (commands client.Commands, kind string, err error) {
	dso, err := v.api.DSO(v.ctx())
	if err != nil {
		return commands, "", err
	}
	type object = map[string]any
	meta := object{}
	if t.note != "" {
		meta["splice.lfdecentralizedtrust.org/reason"] = t.note
	}
	arguments := object{
		"expectedAdmin": dso,
		"transfer": object{
			"sender": v.party, "receiver": t.receiver, "amount": t.amount,
			"instrumentId": object{"admin": dso, "id": client.CoinInstrument}, "inputHoldingCids": t.coins,
			"requestedAt":   t.requested.UTC().Format(time.RFC3339Nano),
			"executeBefore": t.expires.UTC().Format(time.RFC3339Nano), "meta": object{"values": meta},
		},
		"extraArgs": object{"context": object{"values": object{}}, "meta": object{"values": object{}}},
	}
	var factory struct {
		ID      string `json:"factoryId"`
		Kind    string `json:"transferKind"`
		Context struct {
			Data      any                `json:"choiceContextData"`
			Disclosed []client.Disclosed `json:"disclosedContracts"`
		} `json:"choiceContext"`
	}
	path := "/v0/scan-proxy/registry/transfer-instruction/v1/transfer-factory"
	if err := v.api.Post(v.ctx(), path, object{"choiceArguments": arguments}, &factory); err != nil {
		return commands, "", err
	}
	arguments["extraArgs"] = object{"context": factory.Context.Data, "meta": object{"values": object{}}}
	return client.Commands{
		CommandID: "page-" + once + "-" + t.digest(), ActAs: []string{v.party}, Disclosed: factory.Context.Disclosed,
		Commands: []client.Command{{Exercise: &client.Exercise{
			TemplateID: "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory",
			ContractID: factory.ID, Choice: "TransferFactory_Transfer", ChoiceArgument: arguments,
		}}},
	}, factory.Kind, nil
}

// transferChosen makes a transfer of chosen coins. The wallet's API chooses coins itself, so this goes through the
// registry of the token standard and the JSON Ledger API.
func (v *visit) transferChosen(what string, t chosenTransfer) (kind string, err error) {
	commands, kind, err := v.compose(t, v.field("once"))
	if err == nil {
		err = v.change(what, http.MethodPost, "/v2/commands/submit-and-wait", commands, nil)
	}
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == "DUPLICATE_COMMAND" {
		err = nil // this form was sent before
	}
	return kind, err
}
