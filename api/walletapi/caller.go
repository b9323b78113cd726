package walletapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// walletUser is a caller who has a wallet.
type walletUser struct {
	user    string
	party   ledger.Party
	install ledger.ContractID
}

// authorizedKey is where the context has the wallet user whom the frame has let pass.
type authorizedKey struct{}

// ownersOnly authorizes the owners of wallets before anything else is done for a request.
func (a *API) ownersOnly(operation string) func(context.Context) (context.Context, error) {
	return func(ctx context.Context) (context.Context, error) {
		w, err := a.findCaller(ctx, operation)
		return context.WithValue(ctx, authorizedKey{}, w), err
	}
}

// operatorsOnly authorizes operators before anything else is done for a request.
func (a *API) operatorsOnly(ctx context.Context) (context.Context, error) {
	return ctx, a.operator(ctx)
}

// newcomersOnly authorizes whoever may register: users from whom nothing was taken.
func (a *API) newcomersOnly(ctx context.Context) (context.Context, error) {
	n := newcomer{Identity: endpoint.Claims(ctx).Identity(), Self: true}
	if err := ledger.CheckUserID(n.UserID); err != nil {
		return ctx, v0.BadRequest("%s", err)
	}
	user, known, err := a.record.UserNamed(ctx, n.UserID)
	if err != nil {
		return ctx, err
	}
	if err := n.mayBecome(user, known); err != nil {
		return ctx, err
	}
	return ctx, n.notGiven(a.record.CheckOwnWallet(ctx, n.Identity))
}

// caller is the wallet user who calls; others are refused. The operation is the endpoint's operation id.
func (a *API) caller(ctx context.Context, operation string) (walletUser, error) {
	if w, authorized := ctx.Value(authorizedKey{}).(walletUser); authorized {
		return w, nil
	}
	return a.findCaller(ctx, operation)
}

// findCaller looks the caller up. The order is upstream's: whether there is a wallet is found out before what the user
// may do.
func (a *API) findCaller(ctx context.Context, operation string) (walletUser, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return walletUser{}, err
	}
	user, known, err := a.record.User(ctx, claims.Identity())
	if err != nil {
		return walletUser{}, err
	}
	install, ok, err := a.installOf(ctx, user)
	if err != nil {
		return walletUser{}, err
	}
	if !known || !ok {
		return walletUser{}, v0.Refuse(http.StatusNotFound, "No wallet found for user '%s' for operation '%s'",
			claims.UserID(), operation)
	}
	rights, err := a.rightsOf(ctx, user)
	if err != nil {
		return walletUser{}, err
	}
	w := walletUser{user: user.ID, party: install.Payload.EndUserParty, install: install.ID}
	return w, rights.RequireActAs(w.party)
}

// operator refuses everybody but operators: users whose party is the operator's, who may act as it, and who are
// ParticipantAdmin (upstream's class of the /v0/admin endpoints).
func (a *API) operator(ctx context.Context) error {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return err
	}
	user, known, err := a.record.User(ctx, claims.Identity())
	if err != nil {
		return err
	}
	if !known || user.PrimaryParty != a.node.Operator {
		return forbidden("user %q is not an operator", claims.UserID())
	}
	rights, err := a.rightsOf(ctx, user)
	if err != nil {
		return err
	}
	if err := rights.RequireAdmin(); err != nil {
		return err
	}
	return rights.RequireActAs(a.node.Operator)
}

// rightsOf are the claims of a user as they are now.
func (a *API) rightsOf(ctx context.Context, user ledger.User) (auth.Claims, error) {
	if user.IsDeactivated {
		return auth.Claims{}, forbidden("user %q is deactivated", user.ID)
	}
	rights, err := a.record.UserRights(ctx, user.ID)
	return auth.NewClaims(user, rights), err
}

// forbidden is a refusal whose reason is only in the log.
func forbidden(format string, args ...any) error {
	return fault.PermissionDenied.New("The caller's rights do not suffice.").Wrap(fmt.Errorf(format, args...))
}

// installOf finds the WalletAppInstall of a user, whose end user's party is the party of the wallet; false when the
// user has no wallet. The primary party is only where it is looked for first: whoever changes that takes nobody's
// wallet away.
func (a *API) installOf(ctx context.Context, user ledger.User) (contract[walletapp.WalletAppInstall], bool, error) {
	if user.PrimaryParty != "" {
		if found, ok, err := a.installAt(ctx, user.ID, user.PrimaryParty); err != nil || ok {
			return found, ok, err
		}
	}
	given, ok, err := a.record.WalletParty(ctx, user.Identity())
	if err != nil || !ok || given == user.PrimaryParty {
		return contract[walletapp.WalletAppInstall]{}, false, err
	}
	return a.installAt(ctx, user.ID, given)
}

// installAt finds the WalletAppInstall of a user name that has a party.
func (a *API) installAt(
	ctx context.Context, name string, party ledger.Party,
) (found contract[walletapp.WalletAppInstall], ok bool, err error) {
	err = eachActive(ctx, a, party, func(install contract[walletapp.WalletAppInstall]) bool {
		p := install.Payload
		if p.EndUserName == name && p.EndUserParty == party && p.ValidatorParty == a.node.Operator {
			found, ok = install, true
		}
		return !ok
	})
	return found, ok, err
}
