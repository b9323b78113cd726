package onboarding

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// authorizeNewcomer authorizes users who may register: an administrator has removed nothing from them.
func (a *API) authorizeNewcomer(ctx context.Context) (context.Context, error) {
	n := newcomer{Identity: endpoint.Claims(ctx).Identity(), Self: true}
	if err := ledger.CheckUserID(n.UserID); err != nil {
		return ctx, v0.BadRequest("%s", err)
	}
	user, known, err := a.record.UserNamed(ctx, n.UserID)
	if err != nil {
		return ctx, err
	}
	if err := n.checkUsable(user, known); err != nil {
		return ctx, err
	}
	return ctx, n.explainTaken(a.record.CheckOwnWallet(ctx, n.Identity))
}

// OnboardUserRequest asks for a user's wallet (contract, /v0/admin/users).
type OnboardUserRequest struct {
	endpoint.Strict

	Name                 string  `json:"name" required:"true" doc:"Id of the user"`
	PartyID              *string `json:"party_id" doc:"The party to give to the user"`
	CreatePartyIfMissing *bool   `json:"createPartyIfMissing" doc:"Whether to allocate the party if it does not exist"`
	IdentityProviderID   *string `json:"identity_provider_id" doc:"Identity provider of the user; required to give its user a party"`
}

// OnboardUserResponse names the party of the user.
type OnboardUserResponse struct {
	PartyID ledger.Party `json:"party_id" required:"true" doc:"The user's party"`
}

// ListUsersResponse is a page of the names of users with a wallet.
type ListUsersResponse struct {
	Usernames     []string `json:"usernames" required:"true" doc:"In order of onboarding"`
	NextPageToken *int64   `json:"next_page_token,omitempty" doc:"Value for after; absent on the last page"`
}

// RegistrationResponse names the party of the caller.
type RegistrationResponse struct {
	PartyID ledger.Party `json:"party_id" required:"true" doc:"The caller's party"`
}

type onboardUserRequest struct {
	Body OnboardUserRequest `body:"json"`
}

type offboardUserRequest struct {
	Username string `query:"username" doc:"The user"`
}

func (a *API) onboardUser(ctx context.Context, req onboardUserRequest) (OnboardUserResponse, error) {
	caller, _ := endpoint.Claims(ctx).User()
	user := newcomer{
		Identity:    ledger.Identity{IdentityProviderID: caller.IdentityProviderID, UserID: req.Body.Name},
		CreateParty: req.Body.CreatePartyIfMissing, Provider: req.Body.IdentityProviderID,
	}
	if req.Body.IdentityProviderID != nil {
		user.IdentityProviderID = *req.Body.IdentityProviderID
	}
	if req.Body.PartyID != nil {
		user.Party = *req.Body.PartyID
	}
	party, err := a.onboard(ctx, user)
	return OnboardUserResponse{PartyID: party}, err
}

func (a *API) register(ctx context.Context, _ endpoint.NoRequest) (RegistrationResponse, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return RegistrationResponse{}, err
	}
	party, err := a.onboard(ctx, newcomer{Identity: claims.Identity(), Self: true})
	return RegistrationResponse{PartyID: party}, err
}

// listUsers reads only the wallets of the page, so that the cost of a page does not depend on their number.
func (a *API) listUsers(ctx context.Context, req validator.PageRequest) (response ListUsersResponse, err error) {
	limit, after, err := req.Bounds()
	if err != nil {
		return response, err
	}
	visit := func(_ context.Context, c validator.Contract[walletapp.WalletAppInstall], at db.Position) (bool, error) {
		if c.Payload.ValidatorParty != a.Node.Operator {
			return true, nil
		}
		if len(response.Usernames) == limit {
			token := validator.PositionToken(after)
			response.NextPageToken = &token
			return false, nil
		}
		after = at
		response.Usernames = append(response.Usernames, c.Payload.EndUserName)
		return true, budget.Of(ctx).Take(int64(len(c.Payload.EndUserName)))
	}
	err = validator.EachActiveAfter(ctx, a.Base, a.Node.Operator, after, visit)
	return response, err
}

// missingUsername is upstream's answer to a request without the parameter.
const missingUsername = "Request is missing required query parameter 'username'"

// offboardUser removes a user's wallet; the party and its holdings stay. It archives the contracts last, so that a
// repeat after an interruption finds them.
func (a *API) offboardUser(ctx context.Context, req offboardUserRequest) (endpoint.Content, error) {
	if req.Username == "" {
		return endpoint.TextContent(http.StatusNotFound, missingUsername), nil
	}
	if req.Username == a.Node.OperatorUser || req.Username == a.LedgerUser {
		return endpoint.Content{}, v0.BadRequest("Tried to offboard the validator's user: %s", req.Username)
	}
	ctx = changes.Without(ctx)
	lasting := context.WithoutCancel(ctx)
	for first := true; ; first = false {
		install, installed, err := a.installNamed(ctx, req.Username)
		if err != nil || !installed {
			return endpoint.Content{}, err
		}
		if first {
			if err := a.record.DeleteUser(lasting, req.Username); err != nil && !fault.UserNotFound.Matches(err) {
				return endpoint.Content{}, err
			}
		}
		if err := a.closeWallet(lasting, install); err != nil {
			return endpoint.Content{}, err
		}
	}
}

// installNamed finds the WalletAppInstall for a user name, even if the user does not exist.
func (a *API) installNamed(
	ctx context.Context, name string,
) (found validator.Contract[walletapp.WalletAppInstall], ok bool, err error) {
	if user, known, err := a.record.UserNamed(ctx, name); err != nil || known {
		if found, ok, err = a.InstallOf(ctx, user); err != nil || ok {
			return found, ok, err
		}
	}
	err = validator.EachActive(ctx, a.Base, a.Node.Operator, func(c validator.Contract[walletapp.WalletAppInstall]) bool {
		if c.Payload.EndUserName == name && c.Payload.ValidatorParty == a.Node.Operator {
			found, ok = c, true
		}
		return !ok
	})
	return found, ok, err
}

// closeWallet archives the contracts of a wallet. With the last wallet of a party it also removes the right to its
// rewards and the operator's right to act as it.
func (a *API) closeWallet(ctx context.Context, install validator.Contract[walletapp.WalletAppInstall]) error {
	party, commands, last := install.Payload.EndUserParty, []ledger.Command{archive(install.Contract)}, true
	err := validator.EachActive(ctx, a.Base, party, func(c validator.Contract[walletapp.WalletAppInstall]) bool {
		last = c.ID == install.ID || c.Payload.EndUserParty != party || c.Payload.ValidatorParty != a.Node.Operator
		return last
	})
	if err != nil {
		return err
	}
	if last {
		right, granted, err := a.ValidatorRightOf(ctx, party)
		if err != nil {
			return err
		}
		if granted {
			commands = append(commands, archive(right.Contract))
		}
		_, err = a.record.RevokeRights(ctx, a.LedgerUser, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
		if err == nil && a.LedgerUser == endpoint.Claims(ctx).UserID() {
			err = endpoint.Renew(ctx) // the caller's rights have changed
		}
		if err != nil && !fault.UserNotFound.Matches(err) {
			return err
		}
	}
	_, err = a.Submit(ctx, validator.Change{
		CommandID: "close-wallet:" + string(install.ID), ActAs: []ledger.Party{party, a.Node.Operator}, Commands: commands,
	})
	if fault.ContractNotFound.Matches(err) { // another request was faster
		return nil
	}
	return err
}
