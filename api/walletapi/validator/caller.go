package validator

import (
	"context"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Owner is a caller who has a wallet.
type Owner struct {
	user    string
	Party   ledger.Party
	Install ledger.ContractID
}

// ownerKey is the context key of the authorized wallet user.
type ownerKey struct{}

// OwnersOnly authorizes the owner of a wallet before the endpoint runs.
func (b *Base) OwnersOnly(operation string) func(context.Context) (context.Context, error) {
	return func(ctx context.Context) (context.Context, error) {
		w, err := b.findCaller(ctx, operation)
		ctx = withAdmission(ctx, ledger.AdmittedToWallet(w.Party))
		return context.WithValue(ctx, ownerKey{}, w), err
	}
}

// admissionKey is the context key of the caller's admission.
type admissionKey struct{}

// withAdmission stores what the caller was admitted for. The commit checks it again.
func withAdmission(ctx context.Context, as ledger.Admission) context.Context {
	return context.WithValue(ctx, admissionKey{}, as)
}

// admissionOf returns AdmittedToNothing if the endpoint has no authorization.
func admissionOf(ctx context.Context) ledger.Admission {
	if as, ok := ctx.Value(admissionKey{}).(ledger.Admission); ok {
		return as
	}
	return ledger.AdmittedToNothing
}

// Caller returns the wallet user who calls, or an error. The operation is the endpoint's operation id.
func (b *Base) Caller(ctx context.Context, operation string) (Owner, error) {
	if w, authorized := ctx.Value(ownerKey{}).(Owner); authorized {
		return w, nil
	}
	return b.findCaller(ctx, operation)
}

// findCaller finds the caller's wallet. It checks the wallet before the rights (upstream's order).
func (b *Base) findCaller(ctx context.Context, operation string) (Owner, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return Owner{}, err
	}
	user, known, err := b.record.User(ctx, claims.Identity())
	if err != nil {
		return Owner{}, err
	}
	install, ok, err := b.InstallOf(ctx, user)
	if err != nil {
		return Owner{}, err
	}
	if !known || !ok {
		return Owner{}, v0.Refuse(http.StatusNotFound, "No wallet found for user '%s' for operation '%s'",
			claims.UserID(), operation)
	}
	rights, err := b.rightsOf(ctx, user)
	if err != nil {
		return Owner{}, err
	}
	w := Owner{user: user.ID, Party: install.Payload.EndUserParty, Install: install.ID}
	endpoint.Concerns(ctx, ledger.Submission{ActAs: []ledger.Party{w.Party}})
	return w, rights.RequireActAs(w.Party)
}

// Readable returns the wallet's party, and the other party if the caller's user may read as it.
func (b *Base) Readable(ctx context.Context, w Owner, other ledger.Party) ([]ledger.Party, error) {
	user, known, err := b.record.User(ctx, endpoint.Claims(ctx).Identity())
	if err != nil || !known || other == w.Party {
		return []ledger.Party{w.Party}, err
	}
	rights, err := b.rightsOf(ctx, user)
	if err != nil || !rights.CanReadAs(other) {
		return []ledger.Party{w.Party}, err
	}
	return []ledger.Party{w.Party, other}, nil
}

// rightsOf returns the user's present rights.
func (b *Base) rightsOf(ctx context.Context, user ledger.User) (auth.Claims, error) {
	if user.IsDeactivated {
		return auth.Claims{}, Forbidden("user %q is deactivated", user.ID)
	}
	rights, err := b.record.UserRights(ctx, user.ID)
	return auth.NewClaims(user, rights), err
}

// Forbidden is a permission error whose reason is only in the log.
func Forbidden(format string, args ...any) error {
	return fault.PermissionDenied.New("The caller's rights do not suffice.").Wrap(fmt.Errorf(format, args...))
}

// InstallOf finds the WalletAppInstall of a user; its EndUserParty is the party of the wallet. It is false if the user
// has no wallet. The primary party is only a hint where to look first: a change of the primary party must not remove
// the wallet.
func (b *Base) InstallOf(ctx context.Context, user ledger.User) (Contract[walletapp.WalletAppInstall], bool, error) {
	if user.PrimaryParty != "" {
		if found, ok, err := b.InstallAt(ctx, user.ID, user.PrimaryParty); err != nil || ok {
			return found, ok, err
		}
	}
	given, ok, err := b.record.WalletParty(ctx, user.Identity())
	if err != nil || !ok || given == user.PrimaryParty {
		return Contract[walletapp.WalletAppInstall]{}, false, err
	}
	return b.InstallAt(ctx, user.ID, given)
}

// InstallAt finds the WalletAppInstall of a user name and a party.
func (b *Base) InstallAt(
	ctx context.Context, name string, party ledger.Party,
) (found Contract[walletapp.WalletAppInstall], ok bool, err error) {
	read := func() (Contract[walletapp.WalletAppInstall], bool, error) {
		err := EachActive(ctx, b, party, func(install Contract[walletapp.WalletAppInstall]) bool {
			p := install.Payload
			if p.EndUserName == name && p.EndUserParty == party && p.ValidatorParty == b.Node.Operator {
				found, ok = install, true
			}
			return !ok
		})
		return found, ok, err
	}
	return b.memory.installOf(ctx, installKey{name, party}, read)
}

// MustBe returns an error unless the wallet's party is the deciding party. A wallet's choices also have the operator's
// authority, so without this check a wallet could decide about the operator's contracts.
func (w Owner) MustBe(decides ledger.Party, choice string) error {
	if w.Party == decides {
		return nil
	}
	return fault.DamlAuthorizationError.New("%s needs the authority of %s, but the wallet is that of %s",
		choice, decides, w.Party)
}
