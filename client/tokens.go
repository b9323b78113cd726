package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// Paths of tokens of uploaded packages.
const (
	holdingsPath  = "/v0/wallet/token-standard/holdings"
	movementsPath = "/v0/wallet/token-standard/history"
)

// Instrument is the name of a token: a party that administers it, and that party's name for it.
type Instrument struct {
	Admin string `json:"admin"`
	ID    string `json:"id"`
}

// TokenKind is a token of an uploaded package. Instrument is what its code claims.
type TokenKind struct {
	Package    string     `json:"package_name"`
	Instrument Instrument `json:"instrument"`
	// Signed is true if the claimed administrator signed the contract.
	Signed bool `json:"admin_signed"`
}

// TokenBalance is what an owner holds of a token. A nil amount is larger than any amount.
type TokenBalance struct {
	TokenKind

	Unlocked *decimal.Decimal `json:"unlocked"`
	Locked   *decimal.Decimal `json:"locked"`
	Holdings []TokenHolding   `json:"holdings"`
}

// TokenHolding is a contract that claims to be a holding.
type TokenHolding struct {
	ContractID string    `json:"contract_id"`
	CreatedAt  time.Time `json:"created_at"`
	View       struct {
		Amount decimal.Decimal `json:"amount"`
		Lock   *struct {
			ExpiresAt *time.Time `json:"expiresAt"`
			Context   string     `json:"context"`
		} `json:"lock"`
	} `json:"view"`
}

// TokenHoldings are the holdings of a wallet.
type TokenHoldings struct {
	Tokens []TokenBalance `json:"tokens"`
	// Unreadable are contracts whose claims cannot be read.
	Unreadable []struct {
		ContractID string `json:"contract_id"`
		Package    string `json:"package_name"`
		Reason     string `json:"reason"`
	} `json:"unreadable"`
}

// TokenHoldings lists the holdings of the client's user of all tokens but the coin.
func (c *Client) TokenHoldings(ctx context.Context) (held TokenHoldings, err error) {
	err = c.Get(ctx, holdingsPath, &held)
	return held, err
}

// TokenEntry is a transaction that changed holdings.
type TokenEntry struct {
	UpdateID  string    `json:"update_id"`
	Offset    int64     `json:"offset"`
	Date      time.Time `json:"date"`
	Movements []struct {
		TokenKind

		Owner    string           `json:"owner"`
		Unlocked *decimal.Decimal `json:"unlocked"`
		Locked   *decimal.Decimal `json:"locked"`
	} `json:"movements"`
	Transfers  []claimedContract `json:"transfers"`
	Incomplete bool              `json:"incomplete"`
	Package    string            `json:"package_name"`
	Choice     string            `json:"choice"`
}

// TokenHistory reads a page of the history of tokens. before is the next of the previous page, 0 for the first; next is
// 0 on the last.
func (c *Client) TokenHistory(ctx context.Context, before int64) (entries []TokenEntry, next int64, err error) {
	path := movementsPath
	if before > 0 {
		path += fmt.Sprintf("?before=%d", before)
	}
	var out struct {
		Transactions []TokenEntry `json:"transactions"`
		Next         *int64       `json:"next"`
	}
	if err := c.Get(ctx, path, &out); err != nil {
		return nil, 0, err
	}
	if out.Next != nil {
		next = *out.Next
	}
	return out.Transactions, next, nil
}

// claimedContract is a contract of an uploaded package with its claims.
type claimedContract struct {
	ContractID  string          `json:"contract_id"`
	Package     string          `json:"package_name"`
	Signatories []string        `json:"signatories"`
	View        json.RawMessage `json:"view"`
}

// transferClaim is the view of a transfer.
type transferClaim struct {
	Transfer struct {
		Sender        string          `json:"sender"`
		Receiver      string          `json:"receiver"`
		Amount        decimal.Decimal `json:"amount"`
		Instrument    Instrument      `json:"instrumentId"`
		ExecuteBefore time.Time       `json:"executeBefore"`
		Meta          struct {
			Values map[string]string `json:"values"`
		} `json:"meta"`
	} `json:"transfer"`
}

func (c claimedContract) token(of Instrument) *TokenKind {
	return &TokenKind{Package: c.Package, Instrument: of, Signed: slices.Contains(c.Signatories, of.Admin)}
}

// offer reads a transfer; it is false if the claim has another form.
func (c claimedContract) offer() (Offer, bool) {
	var claim transferClaim
	if json.Unmarshal(c.View, &claim) != nil {
		return Offer{}, false
	}
	t := claim.Transfer
	return Offer{
		ContractID: c.ContractID, Standard: true, Sender: t.Sender, Receiver: t.Receiver, Amount: t.Amount,
		ExpiresAt: t.ExecuteBefore, Note: t.Meta.Values[reasonKey], Token: c.token(t.Instrument),
	}, true
}

// Offers are the transfers that the transaction made or ended.
func (e TokenEntry) Offers() (all []Offer) {
	for _, one := range e.Transfers {
		if offer, ok := one.offer(); ok {
			all = append(all, offer)
		}
	}
	return all
}

// Trusting is the body of a request that trusts packages; nil for coin.
func Trusting(packages []string) any {
	if len(packages) == 0 {
		return nil
	}
	return map[string]any{"trusted_packages": packages}
}
