package onboarding

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// newcomer is a user who shall have a wallet.
type newcomer struct {
	// Identity is the user.
	ledger.Identity

	// Provider is the identity provider that the operator named, if any.
	Provider *string
	// Party is the requested party; "" for none.
	Party string
	// Hint is the hint of a new party; "" for one from the user's name.
	Hint string
	// CreateParty says whether to allocate a party; nil for the default.
	CreateParty *bool
	// Self is true if the user registers itself. It then gets no party that another user may act as.
	Self bool
}

// onboard gives a user a wallet: a party, the rights to it, and the contracts. It skips steps that are done, so that a
// repeat completes an interrupted onboarding. It continues even if the caller leaves.
func (a *API) onboard(ctx context.Context, n newcomer) (ledger.Party, error) {
	if err := ledger.CheckUserID(n.UserID); err != nil {
		return "", v0.BadRequest("%s", err)
	}
	ctx = changes.Without(ctx)
	party, err := a.giveParty(context.WithoutCancel(ctx), n)
	if err != nil {
		return "", err
	}
	return party, a.openWallet(ctx, n.UserID, party)
}

// OnboardUser gives a user a wallet, and a party with the hint unless the user has a party. If another user owns the
// hint, it gets a suffix.
func (a *API) OnboardUser(ctx context.Context, user, hint string) error {
	_, err := a.onboard(ctx, newcomer{Identity: ledger.DefaultUser(user), Hint: hint})
	return err
}

// giveParty finds or creates the user's party and the user, with the rights.
func (a *API) giveParty(ctx context.Context, n newcomer) (ledger.Party, error) {
	const races = 8 // other requests may create or change the user, or allocate the party
	for try := 1; ; try++ {
		user, known, err := a.record.UserNamed(ctx, n.UserID)
		if err != nil {
			return "", err
		}
		if known && !n.Self { // an operator means the user with this name, of any identity provider
			if err := n.checkProvider(user); err != nil {
				return "", err
			}
			n.Identity = user.Identity()
		}
		if err := n.checkUsable(user, known); err != nil {
			return "", err
		}
		wallet, err := a.walletFor(ctx, n, user)
		if err != nil {
			return "", err
		}
		err = a.record.GiveWallet(ctx, wallet)
		raced := fault.UserAlreadyExists.Matches(err) || wallet.Hosting != nil && fault.InvalidArgument.Matches(err)
		if raced && try < races {
			continue
		}
		if err != nil {
			return "", n.explainTaken(err)
		}
		return wallet.Party, a.LetOperatorActAs(ctx, wallet.Party)
	}
}

// checkProvider refuses to give a party to a user of another identity provider than the operator means: somebody else
// may have the same name there.
func (n newcomer) checkProvider(user ledger.User) error {
	switch {
	case n.Provider != nil && *n.Provider != user.IdentityProviderID:
		return v0.BadRequest("User '%s' belongs to identity provider %q, not to %q.", user.ID, user.IdentityProviderID,
			*n.Provider)
	case n.Provider == nil && n.Party != "" && user.IdentityProviderID != n.IdentityProviderID:
		return v0.BadRequest("User '%s' belongs to identity provider %q: send identity_provider_id too, to give it the "+
			"party %s.", user.ID, user.IdentityProviderID, n.Party)
	default:
		return nil
	}
}

// checkUsable refuses deactivated users and invalid names.
func (n newcomer) checkUsable(user ledger.User, known bool) error {
	switch {
	case !known:
		if err := ledger.CheckPathName(n.UserID); err != nil {
			return v0.BadRequest("%s", err)
		}
		return nil
	case n.Self && (user.IsDeactivated || user.Identity() != n.Identity):
		return validator.Forbidden("user %q is deactivated or belongs to another identity provider", user.ID)
	case user.IsDeactivated:
		return v0.BadRequest("User '%s' is deactivated: activate it with PATCH /v2/users/%s first.", user.ID, user.ID)
	default:
		return nil
	}
}

// explainTaken explains why a user cannot give itself a wallet.
func (n newcomer) explainTaken(err error) error {
	switch {
	case errors.Is(err, db.ErrTaken):
		return v0.Refuse(http.StatusForbidden, "An administrator removed the wallet of user '%s', or the user's right to "+
			"act as its party. Registering does not restore it: ask an administrator to restore it, with "+
			"POST /v0/admin/users or POST /v2/users/%s/rights.", n.UserID, n.UserID)
	case errors.Is(err, db.ErrNotGiven):
		return validator.Forbidden("user %q: %w", n.UserID, err)
	default:
		return err
	}
}

// walletFor chooses the party of a user: that of its wallet, its primary party, the requested party, that of its former
// wallet, or a new one. GiveWallet decides whether a user that registers itself may have it.
func (a *API) walletFor(ctx context.Context, n newcomer, user ledger.User) (db.Wallet, error) {
	existing := func(party ledger.Party, err error) (db.Wallet, error) {
		return db.Wallet{Owner: n.Identity, Party: party, BySelf: n.Self}, err
	}
	install, installed, err := a.InstallOf(ctx, user)
	if err != nil {
		return db.Wallet{}, err
	}
	party := install.Payload.EndUserParty
	if installed && party != user.PrimaryParty && (user.PrimaryParty != "" || n.Party == "") {
		return existing(a.requireWalletParty(ctx, party))
	}
	if user.PrimaryParty != "" {
		if err := a.checkPrimary(ctx, n, user); err != nil {
			return db.Wallet{}, err
		}
		return existing(a.requireWalletParty(ctx, user.PrimaryParty))
	}
	if n.Party != "" {
		return a.requestedParty(ctx, n)
	}
	if n.CreateParty != nil && !*n.CreateParty {
		return db.Wallet{}, v0.BadRequest("party_id must be provided when createPartyIfMissing is false and no existing "+
			"party for user %s is found.", n.UserID)
	}
	remembered, ok, err := a.record.WalletParty(ctx, n.Identity)
	if err != nil || ok {
		return existing(remembered, err)
	}
	if n.Hint == "" {
		return a.newParty(ctx, n, partyHint(n.UserID))
	}
	return a.partyWithHint(ctx, n)
}

// checkPrimary refuses to use the primary party of a tenant's user without a right to act as it: the tenant's
// administrator sets the primary party, and that gives no right. The operator can give the party by naming it.
func (a *API) checkPrimary(ctx context.Context, n newcomer, user ledger.User) error {
	party := user.PrimaryParty
	if n.Self || user.IdentityProviderID == ledger.DefaultIdentityProvider || n.Party == string(party) {
		return nil // GiveWallet decides for users who register themselves
	}
	rights, err := a.record.UserRights(ctx, user.ID)
	if err != nil || slices.Contains(rights, ledger.Right{Kind: ledger.CanActAs, Party: party}) {
		return err
	}
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	if err != nil || len(known) > 0 && known[0].IdentityProviderID == user.IdentityProviderID {
		return err
	}
	return v0.BadRequest("The identity provider %q set the primary party of user '%s' to %s, but the user has no right "+
		"to act as it. Send party_id to give the user this party, or change the primary party with PATCH "+
		"/v2/users/%s.", user.IdentityProviderID, user.ID, party, user.ID)
}

// requestedParty returns the requested party, and allocates it if requested.
func (a *API) requestedParty(ctx context.Context, n newcomer) (db.Wallet, error) {
	wallet := db.Wallet{Owner: n.Identity, BySelf: n.Self}
	if err := validator.CheckPartyID(n.Party); err != nil {
		return wallet, v0.BadRequest("Failed to decode: %s", err)
	}
	party := ledger.Party(n.Party)
	if n.CreateParty == nil || !*n.CreateParty {
		var err error
		wallet.Party, err = a.requireWalletParty(ctx, party)
		return wallet, err
	}
	hint, _, _ := ledger.SplitParty(n.Party)
	for _, candidate := range []ledger.Party{party, a.Node.LocalParty(hint)} {
		known, err := a.record.Parties(ctx, []ledger.Party{candidate})
		if err != nil {
			return wallet, err
		}
		if len(known) == 0 {
			continue
		}
		other, err := a.findOtherOwner(ctx, known[0], n)
		if err != nil {
			return wallet, err
		}
		if other != "" {
			return wallet, v0.Refuse(http.StatusConflict, "Party %s already exists, and %s. "+
				"Omit createPartyIfMissing to give it to user '%s' anyway, or send another party_id.", candidate,
				other, n.UserID)
		}
		wallet.Party, err = a.requireWalletParty(ctx, candidate)
		return wallet, err
	}
	return a.newParty(ctx, n, hint)
}

// partyWithHint returns the party with the newcomer's hint, or a new party if there is none or if it has another owner.
func (a *API) partyWithHint(ctx context.Context, n newcomer) (db.Wallet, error) {
	party := a.Node.LocalParty(n.Hint)
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	if err != nil {
		return db.Wallet{}, err
	}
	if len(known) == 0 {
		return a.newParty(ctx, n, n.Hint)
	}
	other, err := a.findOtherOwner(ctx, known[0], n)
	if err != nil {
		return db.Wallet{}, err
	}
	if other != "" {
		return a.newParty(ctx, n, n.Hint)
	}
	party, err = a.requireWalletParty(ctx, party)
	return db.Wallet{Owner: n.Identity, Party: party}, err
}

// findOtherOwner decides whether the newcomer may get an existing party by its name or hint. It returns the reason
// against it, or "". The party is not the newcomer's if another user than the newcomer and the operator's may act or
// read as it, if another identity provider allocated it, or if contracts with its signature are still active. Such a
// contract may be an offer or a delegation that binds the newcomer, although its signer is gone. These checks are
// necessary because anybody may allocate a party with any hint.
func (a *API) findOtherOwner(ctx context.Context, party ledger.PartyDetails, n newcomer) (string, error) {
	if provider := party.IdentityProviderID; provider != "" && provider != n.IdentityProviderID {
		return fmt.Sprintf("identity provider '%s' allocated it", provider), nil
	}
	const enough = 3 // one more than the newcomer and the operator's user
	users, err := a.record.UsersOfParty(ctx, party.Party, enough)
	if err != nil {
		return "", err
	}
	for _, user := range users {
		if user != n.UserID && user != a.LedgerUser {
			return fmt.Sprintf("user '%s' may act or read as it", user), nil
		}
	}
	had, _, err := a.record.WalletParty(ctx, n.Identity)
	if err != nil || had == party.Party || slices.Contains(users, n.UserID) {
		return "", err // the newcomer signed it
	}
	signed, err := a.HasSigned(ctx, party.Party)
	if err != nil || !signed {
		return "", err
	}
	return "contracts that it signed are still active", nil
}

// requireWalletParty refuses parties that this node does not host, external parties, and the DSO, whose coin no user
// may spend.
func (a *API) requireWalletParty(ctx context.Context, party ledger.Party) (ledger.Party, error) {
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	switch {
	case err != nil:
		return "", err
	case len(known) == 0 || !known[0].IsLocal:
		return "", v0.BadRequest("Party %s is not hosted on this participant: allocate it first, or set "+
			"createPartyIfMissing.", party)
	case party == a.Node.DSO:
		return "", v0.BadRequest("Party %s is the DSO, which runs the network and has no wallet: send another party_id, "+
			"or omit it to allocate a party.", party)
	case a.Node.PermissionFor(party) != ledger.MaySubmit:
		return "", v0.BadRequest("Party %s is an external party, which signs for itself and has no user: set it up with "+
			"POST /v0/admin/external-party/setup-proposal.", party)
	default:
		return party, nil
	}
}

// newParty returns a wallet with a party to allocate. If another user has the hint, it adds a suffix.
func (a *API) newParty(ctx context.Context, n newcomer, hint string) (db.Wallet, error) {
	const suffix = 8
	for {
		if err := ledger.CheckPartyHint(hint); err != nil {
			return db.Wallet{}, v0.BadRequest("The user name %s cannot be a party hint: %s. Send a party_id.", n.UserID, err)
		}
		party := a.Node.LocalParty(hint)
		known, err := a.record.Parties(ctx, []ledger.Party{party})
		if err != nil {
			return db.Wallet{}, err
		}
		if len(known) > 0 {
			hint = partyHint(n.UserID) + "-" + uuid.NewString()[:suffix]
			continue
		}
		return db.Wallet{Owner: n.Identity, Party: party, BySelf: n.Self, Hosting: &db.Hosting{
			Details: ledger.PartyDetails{Party: party, IsLocal: true, IdentityProviderID: n.IdentityProviderID},
			Now:     a.Now(),
			Entry: func(at ledger.Position) ledger.Update {
				return ledger.NewHosting(a.Node, party, at, ledger.TraceContext{})
			},
		}}, nil
	}
}

// partyHint makes a party hint of a user name (upstream's encoding).
func partyHint(name string) string {
	var hint strings.Builder
	for _, r := range name {
		switch {
		case r == '_':
			hint.WriteString("__")
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == ':', r == '-', r == ' ':
			hint.WriteRune(r)
		default:
			fmt.Fprintf(&hint, "_%04x", r)
		}
	}
	return hint.String()
}
