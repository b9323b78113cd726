package walletapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/api/changes"
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

// caller is the wallet user who calls; others are refused. The operation is the endpoint's operation id. The order is
// upstream's: whether there is a wallet is found out before what the user may do.
func (a *API) caller(ctx context.Context, operation string) (walletUser, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return walletUser{}, err
	}
	user, known, err := a.record.User(ctx, claims.UserID())
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
	if plan := changes.PlanOf(ctx); plan != nil {
		plan.Party = user.PrimaryParty
	}
	return walletUser{user: user.ID, party: user.PrimaryParty, install: install.ID},
		rights.RequireActAs(user.PrimaryParty)
}

// operator refuses everybody but operators: users whose party is the operator's, who may act as it, and who are
// ParticipantAdmin (upstream's class of the /v0/admin endpoints).
func (a *API) operator(ctx context.Context) error {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return err
	}
	user, known, err := a.record.User(ctx, claims.UserID())
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

// rightsOf are the claims of a user as they are now. The caller's token must be of the user's identity provider.
func (a *API) rightsOf(ctx context.Context, user ledger.User) (auth.Claims, error) {
	caller, _ := endpoint.Claims(ctx).User()
	if user.IsDeactivated || caller.IdentityProviderID != user.IdentityProviderID {
		return auth.Claims{}, forbidden("user %q is deactivated, or of another identity provider", user.ID)
	}
	rights, err := a.record.UserRights(ctx, user.ID)
	return auth.NewClaims(user, rights), err
}

// forbidden is a refusal whose reason is only in the log.
func forbidden(format string, args ...any) error {
	return fault.PermissionDenied.New("The caller's rights do not suffice.").Wrap(fmt.Errorf(format, args...))
}

// installOf finds the WalletAppInstall of a user; false when the user has no wallet.
func (a *API) installOf(ctx context.Context, user ledger.User) (contract[walletapp.WalletAppInstall], bool, error) {
	if user.PrimaryParty == "" {
		return contract[walletapp.WalletAppInstall]{}, false, nil
	}
	var found contract[walletapp.WalletAppInstall]
	ok := false
	err := eachActive(ctx, a, user.PrimaryParty, func(install contract[walletapp.WalletAppInstall]) bool {
		p := install.Payload
		if p.EndUserName == user.ID && p.EndUserParty == user.PrimaryParty && p.ValidatorParty == a.node.Operator {
			found, ok = install, true
		}
		return !ok
	})
	return found, ok, err
}
