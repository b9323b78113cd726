package walletapi

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// Users is where users and their parties are kept.
type Users interface {
	// HostWalletParty allocates a party for the wallet of a user; INVALID_ARGUMENT for one that exists.
	HostWalletParty(ctx context.Context, hosting db.Hosting, userID string) error
	// WalletParty finds the party that a user's wallet has or had.
	WalletParty(ctx context.Context, userID string) (ledger.Party, bool, error)
	// SetWalletParty notes which party the wallet of a user has.
	SetWalletParty(ctx context.Context, userID string, party ledger.Party) error
	CreateUser(ctx context.Context, user ledger.User, rights []ledger.Right) (ledger.User, error)
	UpdateUser(
		ctx context.Context, id string, expected *int64, change func(*ledger.User) error,
	) (ledger.User, error)
	DeleteUser(ctx context.Context, id string) error
	GrantRights(ctx context.Context, id string, rights []ledger.Right) ([]ledger.Right, error)
	RevokeRights(ctx context.Context, id string, rights []ledger.Right) ([]ledger.Right, error)
}

// newcomer is a user who is to have a wallet.
type newcomer struct {
	Name string
	// IdentityProviderID is whose user a new one is.
	IdentityProviderID string
	// Party is the one that is asked for, "" for none.
	Party string
	// CreateParty says whether a party may be allocated; nil leaves it to the rules.
	CreateParty *bool
	// Self: the user asks, and gets no party that somebody else may act as.
	Self bool
}

// onboard gives a user a wallet: a party, the rights that belong to it, and the contracts. Every step is done only if
// it has not been yet, so that onboarding again finishes what broke off and changes nothing that stands. It is done to
// the end even if the caller goes away.
func (a *API) onboard(ctx context.Context, n newcomer) (ledger.Party, error) {
	if err := ledger.CheckUserID(n.Name); err != nil {
		return "", v0.BadRequest("%s", err)
	}
	ctx = changes.Without(ctx)
	party, err := a.settle(context.WithoutCancel(ctx), n)
	if err != nil {
		return "", err
	}
	return party, a.openWallet(ctx, n.Name, party)
}

// OnboardUser gives a user a wallet, and a party with the hint unless it has one.
func (a *API) OnboardUser(ctx context.Context, user, hint string) error {
	create := true
	_, err := a.onboard(ctx, newcomer{
		Name: user, Party: string(a.node.LocalParty(hint)), CreateParty: &create,
	})
	return err
}

// settle finds or makes the user's party and the user, with their rights.
func (a *API) settle(ctx context.Context, n newcomer) (ledger.Party, error) {
	const races = 3 // others may create or change the user meanwhile
	for try := 1; ; try++ {
		user, known, err := a.record.User(ctx, n.Name)
		if err != nil {
			return "", err
		}
		if err := n.mayBecome(user, known); err != nil {
			return "", err
		}
		party, err := a.partyFor(ctx, n, user)
		if err != nil {
			return "", err
		}
		err = a.settleUser(ctx, n, party, known)
		if raced := fault.UserAlreadyExists.Matches(err) || fault.UserNotFound.Matches(err); raced && try < races {
			continue
		}
		if err != nil {
			return "", err
		}
		return party, a.letOperatorActAs(ctx, party)
	}
}

// mayBecome refuses users that cannot be used.
func (n newcomer) mayBecome(user ledger.User, known bool) error {
	switch {
	case !known:
		return nil
	case n.Self && (user.IsDeactivated || user.IdentityProviderID != n.IdentityProviderID):
		return forbidden("user %q is deactivated, or of another identity provider", user.ID)
	case user.IsDeactivated:
		return v0.BadRequest("User '%s' is deactivated: activate it with PATCH /v2/users/%s first.", user.ID, user.ID)
	default:
		return nil
	}
}

// settleUser creates the user, or gives an existing one its party and the right to act as it.
func (a *API) settleUser(ctx context.Context, n newcomer, party ledger.Party, known bool) error {
	rights := []ledger.Right{{Kind: ledger.CanActAs, Party: party}}
	if !known {
		user := ledger.User{ID: n.Name, PrimaryParty: party, IdentityProviderID: n.IdentityProviderID}
		if _, err := a.record.CreateUser(ctx, user, rights); err != nil {
			return err
		}
		return a.record.SetWalletParty(ctx, n.Name, party)
	}
	user, _, err := a.record.User(ctx, n.Name)
	if err != nil {
		return err
	}
	if user.PrimaryParty == "" {
		_, err := a.record.UpdateUser(ctx, n.Name, nil, func(user *ledger.User) error {
			if user.PrimaryParty != "" && user.PrimaryParty != party {
				return fault.UserAlreadyExistsNamed(user.ID)
			}
			user.PrimaryParty = party
			return nil
		})
		if err != nil {
			return err
		}
	}
	if _, err := a.record.GrantRights(ctx, n.Name, rights); err != nil {
		return err
	}
	return a.record.SetWalletParty(ctx, n.Name, party)
}

// letOperatorActAs gives the operator's ledger user the right to act as the party. The node does not need it, so it is
// no obstacle that an administrator has deleted that user, or that it has as many rights as a user can have.
func (a *API) letOperatorActAs(ctx context.Context, party ledger.Party) error {
	if party == a.node.Operator {
		return nil
	}
	_, err := a.record.GrantRights(ctx, a.ledgerUser, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
	if fault.UserNotFound.Matches(err) || fault.TooManyUserRights.Matches(err) {
		return nil
	}
	return err
}

// partyFor chooses the party of a user: the one that it has, the one that is asked for, the one that it had, or a new
// one.
func (a *API) partyFor(ctx context.Context, n newcomer, user ledger.User) (ledger.Party, error) {
	if user.PrimaryParty != "" {
		return user.PrimaryParty, a.mayKeep(ctx, n, user)
	}
	if n.Party != "" {
		return a.partyNamed(ctx, n)
	}
	if n.CreateParty != nil && !*n.CreateParty {
		return "", v0.BadRequest("party_id must be provided when createPartyIfMissing is false and no existing party for "+
			"user %s is found.", n.Name)
	}
	remembered, ok, err := a.record.WalletParty(ctx, n.Name)
	if err != nil || ok {
		return remembered, err
	}
	return a.allocateFor(ctx, n, partyHint(n.Name))
}

// mayKeep refuses parties that the operator cannot run a wallet for, and for users that ask themselves parties that
// they may not act as.
func (a *API) mayKeep(ctx context.Context, n newcomer, user ledger.User) error {
	if _, err := a.requireOurs(ctx, user.PrimaryParty); err != nil || !n.Self {
		return err
	}
	remembered, _, err := a.record.WalletParty(ctx, user.ID)
	if err != nil || remembered == user.PrimaryParty {
		return err
	}
	rights, err := a.rightsOf(ctx, user)
	if err != nil {
		return err
	}
	return rights.RequireActAs(user.PrimaryParty)
}

// partyNamed is the party that is asked for, allocated if that was asked for too.
func (a *API) partyNamed(ctx context.Context, n newcomer) (ledger.Party, error) {
	if err := checkPartyID(n.Party); err != nil {
		return "", v0.BadRequest("Failed to decode: %s", err)
	}
	party := ledger.Party(n.Party)
	if n.CreateParty == nil || !*n.CreateParty {
		return a.requireOurs(ctx, party)
	}
	hint, _, _ := strings.Cut(n.Party, "::")
	for _, candidate := range []ledger.Party{party, a.node.LocalParty(hint)} {
		known, err := a.record.Parties(ctx, []ledger.Party{candidate})
		if err != nil {
			return "", err
		}
		if len(known) > 0 {
			return a.requireOurs(ctx, candidate)
		}
	}
	return a.allocateFor(ctx, n, hint)
}

// checkPartyID says what is wrong with the form of a party's id.
func checkPartyID(id string) error {
	if err := ledger.CheckParty(id); err != nil {
		return err
	}
	if hint, fingerprint, found := strings.Cut(id, "::"); !found || hint == "" || fingerprint == "" {
		return fmt.Errorf("%q is not a party id: hint::fingerprint", id)
	}
	return nil
}

// requireOurs refuses parties that are not hosted here, or that sign for themselves.
func (a *API) requireOurs(ctx context.Context, party ledger.Party) (ledger.Party, error) {
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	switch {
	case err != nil:
		return "", err
	case len(known) == 0 || !known[0].IsLocal:
		return "", v0.BadRequest("Party %s is not hosted on this participant: allocate it first, or set "+
			"createPartyIfMissing.", party)
	case party != a.node.DSO && a.node.PermissionFor(party) != ledger.MaySubmit:
		return "", v0.BadRequest("Party %s is an external party, which signs for itself and has no user: set it up with "+
			"POST /v0/admin/external-party/setup-proposal.", party)
	default:
		return party, nil
	}
}

// allocateFor allocates a party for a user. A party that somebody else was given under the same hint is theirs: then
// the hint gets a suffix.
func (a *API) allocateFor(ctx context.Context, n newcomer, hint string) (ledger.Party, error) {
	if err := ledger.CheckPartyHint(hint); err != nil {
		return "", v0.BadRequest("No party can be named after user %s: %s. Give a party_id.", n.Name, err)
	}
	const suffix = 8
	for {
		party := a.node.LocalParty(hint)
		err := a.record.HostWalletParty(ctx, db.Hosting{
			Details: ledger.PartyDetails{Party: party, IsLocal: true, IdentityProviderID: n.IdentityProviderID},
			Now:     a.now(),
			Entry: func(at ledger.Position) ledger.Update {
				return ledger.NewHosting(a.node, party, at, ledger.TraceContext{})
			},
		}, n.Name)
		if !fault.InvalidArgument.Matches(err) {
			return party, err
		}
		if remembered, ok, err := a.record.WalletParty(ctx, n.Name); err != nil || ok {
			return remembered, err // another request was faster
		}
		hint = partyHint(n.Name) + "-" + uuid.NewString()[:suffix]
		if refusal := ledger.CheckPartyHint(hint); refusal != nil {
			return "", v0.BadRequest("No party can be named after user %s: %s. Give a party_id.", n.Name, refusal)
		}
	}
}

// partyHint is the hint of the party that is named after a user (upstream's encoding of user names).
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
