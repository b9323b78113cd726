package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

const tokensPath = "/wallet/tokens"

// shownToken is a balance for display.
type shownToken struct {
	client.TokenBalance

	// Available and Reserved are the amounts in words; Reserved is "" for none.
	Available, Reserved string
}

func shownTokensOf(held client.TokenHoldings) []shownToken {
	all := make([]shownToken, len(held.Tokens))
	for i, one := range held.Tokens {
		all[i] = shownToken{TokenBalance: one, Available: tokenAmount(one.Unlocked)}
		if one.Locked == nil || one.Locked.Sign() != 0 {
			all[i].Reserved = tokenAmount(one.Locked)
		}
	}
	return all
}

// tokens are the balances of the visitor.
func (v *visit) tokens() ([]shownToken, error) {
	held, err := v.api.TokenHoldings(v.ctx())
	return shownTokensOf(held), err
}

// tokenAmount is an amount of a token, without its name; nil is larger than any amount.
func tokenAmount(amount *decimal.Decimal) string {
	if amount == nil {
		return "more than any amount"
	}
	return sentence.GroupThousands(strings.TrimSuffix(amount.Show(), ".0"))
}

// tokenEntry is a transaction of the history of tokens for display.
type tokenEntry struct {
	When     time.Time
	UpdateID string
	Lines    []tokenLine
	// Incomplete is true if the claims of some contracts cannot be read.
	Incomplete bool
}

// tokenLine is the change of an owner's holdings.
type tokenLine struct {
	Owner, Name, Package string
	Own, Signed          bool
	Available, Reserved  string
}

type tokensView struct {
	Tokens     []shownToken
	Unreadable int
	History    []tokenEntry
	// Older is the offset before which the next page of the history begins; 0 on the last.
	Older   int64
	Periods []period
	// Typed is what the visitor typed into the form of the token with this number.
	Typed   order
	Number  int
	Problem *problem
}

func (s *site) tokens(v *visit) error {
	data, err := s.tokensView(v)
	if err != nil {
		return err
	}
	return s.show(v, "tokens", data)
}

func (s *site) tokensView(v *visit) (data tokensView, err error) {
	held, err := v.api.TokenHoldings(v.ctx())
	if err != nil {
		return data, err
	}
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64) // no number is the newest page
	entries, older, err := v.api.TokenHistory(v.ctx(), before)
	data = tokensView{
		Tokens: shownTokensOf(held), Unreadable: len(held.Unreadable), Older: older, Periods: periods(), Number: -1,
		Typed: order{Hours: defaultHours},
	}
	for _, entry := range entries {
		shown := tokenEntry{When: entry.Date, UpdateID: entry.UpdateID, Incomplete: entry.Incomplete}
		for _, moved := range entry.Movements {
			shown.Lines = append(shown.Lines, tokenLine{
				Owner: moved.Owner, Name: moved.Instrument.ID, Package: moved.Package, Own: moved.Owner == v.party,
				Signed: moved.Signed, Available: tokenChange(moved.Unlocked), Reserved: tokenChange(moved.Locked),
			})
		}
		data.History = append(data.History, shown)
	}
	return data, err
}

// tokenChange is a change with its sign; "" for none.
func tokenChange(amount *decimal.Decimal) string {
	switch {
	case amount == nil:
		return "more than any amount"
	case amount.Sign() < 0:
		negative := amount.Neg()
		return "−" + tokenAmount(&negative)
	case amount.Sign() > 0:
		return "+" + tokenAmount(amount)
	default:
		return ""
	}
}

// sendToken sends a token. The form names it as its holdings claim it, and the package that the visitor trusts.
func (s *site) sendToken(v *visit) error {
	typed := orderOf(v.r.PostForm)
	number, _ := strconv.Atoi(v.field("number"))
	fail := func(err error) error {
		return refused(s, v, "tokens", err, func() (tokensView, error) { return s.tokensView(v) },
			func(data *tokensView, why *problem) { data.Typed, data.Number, data.Problem = typed, number, why })
	}
	amount, err := decimal.Parse(typed.Amount)
	if err != nil || amount.Sign() <= 0 {
		return fail(unprocessable(strconv.Quote(typed.Amount)+" is not an amount.",
			"Write a number above 0 with a point before its decimals: 12.5"))
	}
	receiver, err := s.receiver(v, typed.To)
	if err != nil {
		return fail(err)
	}
	now, err := s.ledgerTime(v)
	if err != nil {
		return err
	}
	text := tokenAmount(&amount) + " " + client.Short(v.field("id")) + " to " + client.PartyName(receiver)
	var out struct {
		Output struct {
			Instruction *string `json:"transfer_instruction_cid"`
		} `json:"output"`
	}
	err = v.change("Send "+text, http.MethodPost, transfersPath, map[string]any{
		"receiver_party_id": receiver, "amount": typed.Amount, "description": typed.Note,
		"expires_at": now.Add(period{Hours: typed.Hours}.lasts()).UnixMicro(), "tracking_id": "page-" + v.field("once"),
		"instrument":       client.Instrument{Admin: v.field("admin"), ID: v.r.PostForm.Get("id")},
		"trusted_packages": v.r.PostForm["trust"],
	}, &out)
	switch {
	case err != nil:
		return fail(err)
	case out.Output.Instruction != nil:
		return s.done(v, "/wallet/inbox", "You offered "+text+". They get it when they accept.")
	default:
		return s.done(v, tokensPath, "You sent "+text+".")
	}
}
