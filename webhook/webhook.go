package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// The kinds of events.
const (
	// Completion is the outcome of a command of the webhook's user, with the webhook's party among the acting parties.
	Completion = "completion"
	// Update is a transaction that the party sees.
	Update = "update"
	// Wallet is an entry of the history of the party's wallet.
	Wallet = "wallet"
	// Alarm says that a part of the node went wrong, or right again.
	Alarm = "alarm"
	// Test is the type of messages that the owner asks for.
	Test = "webhook.test"
)

// Kinds lists the kinds that a webhook may have.
func Kinds() []string { return []string{Completion, Update, Wallet, Alarm} }

// secretBytes is the length of a secret; the library of Standard Webhooks allows 24 to 64.
const secretBytes = 32

// secretPrefix begins the text of a secret.
const secretPrefix = "whsec_"

// NewSecret makes a secret.
func NewSecret() []byte {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // it never fails
	return secret
}

// ShowSecret is the text of a secret, as receivers configure it.
func ShowSecret(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// NewID makes the id of a webhook.
func NewID() string { return "wh_" + strings.ToLower(rand.Text()) }

// CheckKinds explains what is wrong with kinds and their party; "" for nothing.
func CheckKinds(kinds []string, party ledger.Party) string {
	seen := map[string]bool{}
	for _, kind := range kinds {
		switch {
		case !slices.Contains(Kinds(), kind):
			return fmt.Sprintf("kinds: %q is none of %s", kind, strings.Join(Kinds(), ", "))
		case seen[kind]:
			return fmt.Sprintf("kinds: %q is there twice", kind)
		}
		seen[kind] = true
	}
	if len(kinds) == 0 {
		return "kinds must name at least one of " + strings.Join(Kinds(), ", ")
	}
	needsParty := len(kinds) > 1 || !seen[Alarm]
	if needsParty && party == "" {
		return "party must name the party whose events you want"
	}
	if party == "" {
		return ""
	}
	if !needsParty {
		return "party must be empty for alarms, which belong to the node"
	}
	if err := ledger.CheckParty(string(party)); err != nil {
		return err.Error()
	}
	return ""
}

// Rights is the part of the record that knows rights.
type Rights interface {
	User(ctx context.Context, who ledger.Identity) (ledger.User, bool, error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
}

// Missing says why the owner of a webhook may not have its events; "" if it may.
func Missing(ctx context.Context, record Rights, hook db.Webhook) (why string, err error) {
	user, found, err := record.User(ctx, hook.Owner)
	switch {
	case err != nil:
		return "", err
	case !found:
		return fmt.Sprintf("the user %s does not exist any more", hook.Owner.UserID), nil
	case user.IsDeactivated:
		return fmt.Sprintf("the user %s is deactivated", hook.Owner.UserID), nil
	}
	rights, err := record.UserRights(ctx, user.ID)
	if err != nil {
		return "", err
	}
	isAdmin := slices.ContainsFunc(rights, func(right ledger.Right) bool { return right.Kind == ledger.ParticipantAdmin })
	readsAs := slices.ContainsFunc(rights, func(right ledger.Right) bool {
		return right.Allows(ledger.CanReadAs, hook.Party)
	})
	switch {
	case slices.Contains(hook.Kinds, Alarm) && !isAdmin:
		return fmt.Sprintf("the user %s lacks the right ParticipantAdmin, which alarms need", user.ID), nil
	case hook.Party != "" && !readsAs:
		return fmt.Sprintf("the user %s lacks the right to read as %s", user.ID, hook.Party), nil
	default:
		return "", nil
	}
}
