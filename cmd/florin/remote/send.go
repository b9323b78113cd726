package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

const transfersPath = "/v0/wallet/token-standard/transfers"

// SendCommand transfers coin with the token standard.
type SendCommand struct {
	Node
	console.Output

	From    string        `complete:"name" arg:"" help:"Sender: a user or a party."`
	To      string        `complete:"name" arg:"" help:"Receiver: a user, a party, or the id of any party."`
	Amount  Amount        `arg:"" help:"Amount of coin, or of the token."`
	Note    string        `help:"Note for the receiver."`
	Expires time.Duration `help:"Time for the receiver to accept, if it has no preapproval." default:"24h"`
	ID      string        `name:"id" help:"Tracking id: several transfers with the same id happen once. Default: a new id."`

	Instrument    string   `help:"Send a token of an uploaded package instead of coin: its name, as florin holdings shows it." placeholder:"NAME"`
	Administrator string   `complete:"name" help:"Administrator of the token: a user or a party. Default: that of the only token with this name." placeholder:"PARTY"`
	Trust         []string `help:"Packages of the token whose code may act in the sender's name, on their own contracts."`
}

type sentTransfer struct {
	Sender     string `json:"sender"`
	Receiver   string `json:"receiver"`
	Amount     string `json:"amount"`
	TrackingID string `json:"tracking_id"`
	// Status is completed or pending.
	Status string `json:"status"`
	// ContractID is the offer that the receiver has to accept; null when the transfer is completed.
	ContractID *string    `json:"contract_id"`
	ExpiresAt  *time.Time `json:"expires_at"`
	// Token is null for coin.
	Token *client.Instrument `json:"token"`
}

// Validate is called by kong.
func (c *SendCommand) Validate() error {
	if c.Expires <= 0 {
		return fmt.Errorf("--expires=%s: it must be above 0, as in 24h", c.Expires)
	}
	if c.Instrument == "" && (c.Administrator != "" || len(c.Trust) > 0) {
		return errors.New("--administrator and --trust need --instrument, the name of the token")
	}
	return nil
}

// Run transfers the coin, or the token.
func (c *SendCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.From, func(ctx context.Context, s *Session, sender account, wallet *client.Client) error {
		receiver, err := s.find(ctx, c.To)
		if err != nil {
			return err
		}
		transfer := sentTransfer{
			Sender: sender.Party, Receiver: receiver.Party, Amount: c.Amount.String(),
			TrackingID: cmp.Or(c.ID, uuid.NewString()), Status: "completed",
		}
		expires := s.now(ctx, wallet).Add(c.Expires)
		var out struct {
			Output struct {
				InstructionID *string `json:"transfer_instruction_cid"`
			} `json:"output"`
		}
		body := map[string]any{
			"receiver_party_id": transfer.Receiver, "amount": transfer.Amount, "description": c.Note,
			"expires_at": expires.UnixMicro(), "tracking_id": transfer.TrackingID,
		}
		amount, accept := coins(c.Amount.Decimal), []string{"offers", "accept", receiver.Name}
		if c.Instrument != "" {
			if transfer.Token, err = c.token(ctx, s, sender, wallet); err != nil {
				return err
			}
			trusted := strings.Join(c.Trust, ",")
			amount = short(c.Amount.Decimal) + " " + client.ShowName(transfer.Token.ID) + " of " + trusted
			accept = append(accept, "--trust", trusted)
			body["instrument"], body["trusted_packages"] = transfer.Token, c.Trust
		}
		err = wallet.Post(ctx, transfersPath, body, &out)
		if err != nil {
			again := []string{"send", c.From, c.To, c.Amount.Show(), "--id", transfer.TrackingID}
			if c.Instrument != "" {
				again = append(again, "--instrument", c.Instrument, "--administrator", transfer.Token.Admin, "--trust", strings.Join(c.Trust, ","))
			}
			if c.Note != "" {
				again = append(again, "--note", c.Note)
			}
			return s.mayHaveHappened(s.explainLack(ctx, sender, wallet, c.Amount.Decimal, err), again...)
		}
		text := fmt.Sprintf("%s sent %s to %s", sender.Name, amount, receiver.Name)
		if id := out.Output.InstructionID; id != nil {
			transfer.Status, transfer.ContractID, transfer.ExpiresAt = "pending", id, &expires
			text = fmt.Sprintf("%s offers %s to %s until %s; %s accepts it", sender.Name, amount, receiver.Name,
				expires.Local().Format(time.DateTime), s.node.Florin(accept...))
		}
		return c.Print(console.Answer{Data: transfer, Text: text, Names: []string{transfer.TrackingID}})
	})
}

// explainLack adds the balance and a hint to the error of a change without enough coin.
func (s *Session) explainLack(
	ctx context.Context, owner account, wallet *client.Client, needed decimal.Decimal, err error,
) error {
	refused := asRefusal(err)
	if refused == nil || !strings.Contains(string(refused.Body), "insufficient-funds") {
		return err
	}
	has, failed := balanceOf(ctx, owner, wallet)
	if failed != nil {
		return err
	}
	return console.Fail(console.ExitFailed, s.tapHint(ctx, owner, wallet, needed, has),
		"%s has only %s, less than %s", owner.Name, coins(has.Available), coins(needed))
}

// tapHint is a command that mints at least the missing coin, in whole dollars.
func (s *Session) tapHint(
	ctx context.Context, owner account, wallet *client.Client, needed decimal.Decimal, has balance,
) string {
	_, price, _, err := coinOf(ctx, wallet)
	if err != nil {
		return ""
	}
	missing, err := needed.Sub(has.Available)
	if err == nil {
		missing, err = missing.Mul(price)
	}
	dollars, ok := missing.Ceiling()
	if err != nil || !ok {
		return ""
	}
	return s.node.Florin("tap", owner.Name, strconv.FormatInt(max(1, dollars), 10)) + " mints coin on a development ledger"
}
