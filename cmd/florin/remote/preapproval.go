package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

const preapprovalPath = "/v0/wallet/transfer-preapproval"

// PreapprovalCommand turns automatic receiving of coin on or off.
type PreapprovalCommand struct {
	Show PreapprovalShowCommand `cmd:"" help:"Show the preapproval through which a party receives coin."`
	On   PreapprovalOnCommand   `cmd:"" help:"Receive coin automatically; the operator pays for the preapproval and renews it."`
	Off  PreapprovalOffCommand  `cmd:"" help:"Accept each incoming transfer yourself."`

	Refund PreapprovalRefundCommand `cmd:"" help:"As the operator: let a party that turned it off turn it on again, and pay once more."`
}

type preapproval struct {
	Party string `json:"party"`
	// ContractID is null without a preapproval, and so are the others.
	ContractID *string    `json:"contract_id"`
	Provider   *string    `json:"provider"`
	ExpiresAt  *time.Time `json:"expires_at"`
	// Changed says whether the command changed anything.
	Changed bool `json:"changed"`
}

// PreapprovalShowCommand shows a preapproval.
type PreapprovalShowCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run shows the preapproval.
func (c *PreapprovalShowCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, api *client.Client) error {
		found, err := showPreapproval(ctx, owner, api)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%s has no preapproval: incoming coin is an offer, and %s accepts it", owner.Name,
			s.node.Florin("offers", "accept", owner.Name))
		if found.ContractID != nil {
			text = fmt.Sprintf("%s receives coin automatically until %s; %s pays and renews",
				owner.Name, found.ExpiresAt.Local().Format(time.DateTime), client.PartyFor(owner.Party, *found.Provider))
		}
		return c.Print(found.answer(text))
	})
}

// PreapprovalOnCommand creates a preapproval.
type PreapprovalOnCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run creates the preapproval, unless there is one.
func (c *PreapprovalOnCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		_, created, err := approve(ctx, client)
		if err != nil {
			return err
		}
		found, err := showPreapproval(ctx, owner, client)
		if err != nil {
			return err
		}
		found.Changed = created
		text := owner.Name + " receives coin automatically"
		if !created {
			text += " already"
		}
		return c.Print(found.answer(text))
	})
}

// PreapprovalOffCommand cancels a preapproval.
type PreapprovalOffCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
	Yes  bool   `help:"Turn it off, although it cannot be turned on again before the time that is paid for has passed."`
}

// Run cancels the preapproval, if there is one.
func (c *PreapprovalOffCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		before, err := showPreapproval(ctx, owner, client)
		if err != nil {
			return err
		}
		text := owner.Name + " accepts each incoming transfer itself"
		if before.ContractID == nil {
			return c.Print(before.answer(text + " already"))
		}
		until := before.ExpiresAt.Local().Format(time.DateTime)
		again := s.node.Florin("preapproval", "refund", owner.Name)
		if !c.Yes {
			return fmt.Errorf("%s could not turn automatic receiving on again before %s, unless the operator gives up what "+
				"it has paid (%s); nothing has changed: add --yes to turn it off", owner.Name, until, again)
		}
		err = client.Call(ctx, http.MethodDelete, preapprovalPath, nil, nil)
		if err != nil && !isMissing(err) {
			return err
		}
		text += "; the operator pays for no new preapproval until " + until + ", unless it gives up what it has paid: " + again
		return c.Print(preapproval{Party: owner.Party, Changed: true}.answer(text))
	})
}

// PreapprovalRefundCommand deletes the entry of the operator's payment for a party's preapproval. Then the operator can
// pay for another one.
type PreapprovalRefundCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run deletes the preapproval that the operator provides, if there is one, and the entry of its payment.
func (c *PreapprovalRefundCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, err := s.find(ctx, c.Name)
		if err != nil {
			return err
		}
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		path := "/v0/admin/transfer-preapprovals/by-party/" + url.PathEscape(owner.Party)
		if err := admin.Call(ctx, http.MethodDelete, path, nil, nil); err != nil {
			return err
		}
		return c.Print(preapproval{Party: owner.Party, Changed: true}.answer(fmt.Sprintf(
			"%s can turn automatic receiving on again: %s", owner.Name, s.node.Florin("preapproval", "on", owner.Name))))
	})
}

func (p preapproval) answer(text string) console.Answer {
	answer := console.Answer{Data: p, Text: text}
	if p.ContractID != nil {
		answer.Names = []string{*p.ContractID}
	}
	return answer
}

func showPreapproval(ctx context.Context, owner account, client *client.Client) (preapproval, error) {
	var out struct {
		Preapproval struct {
			Contract contract[struct {
				Provider  string    `json:"provider"`
				ExpiresAt time.Time `json:"expiresAt"`
			}] `json:"contract"`
		} `json:"transfer_preapproval"`
	}
	err := client.Get(ctx, preapprovalPath, &out)
	if isMissing(err) {
		return preapproval{Party: owner.Party}, nil
	}
	found := out.Preapproval.Contract
	return preapproval{
		Party: owner.Party, ContractID: &found.ID, Provider: &found.Payload.Provider, ExpiresAt: &found.Payload.ExpiresAt,
	}, err
}

func isMissing(err error) bool {
	refused := asRefusal(err)
	return refused != nil && refused.Status == http.StatusNotFound &&
		bytes.Contains(refused.Body, []byte("No TransferPreapproval found"))
}

// existingPreapproval reads the id of the first preapproval from the refusal of a second one.
func existingPreapproval(refused *client.Error) (id string, created bool, err error) {
	var body struct {
		ID string `json:"transfer_preapproval_contract_id"`
	}
	if json.Unmarshal(refused.Body, &body) != nil || body.ID == "" {
		return "", false, refused
	}
	return body.ID, false, nil
}

// contract is a contract as /v0 shows it.
type contract[T any] struct {
	ID      string `json:"contract_id"`
	Payload T      `json:"payload"`
}

// asRefusal is the answer of the node other than 2xx; nil for other errors.
func asRefusal(err error) *client.Error {
	refused, _ := errors.AsType[*client.Error](err)
	return refused
}
