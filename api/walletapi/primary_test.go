package walletapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// TestOnboardUser_RefusesForeignPrimaryPartyOfTenant tries all kinds of parties that a tenant may name as its user's
// primary party before the operator gives that user a wallet.
func TestOnboardUser_RefusesForeignPrimaryPartyOfTenant(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.IdentityProvider("acme")
	victim := s.Onboard("victim")
	own, err := s.DB.AllocateParty(t.Context(),
		ledger.PartyDetails{Party: s.Node.LocalParty("own"), IsLocal: true, IdentityProviderID: "acme"}, "")
	require.NoError(t, err)
	user := func(name string, party ledger.Party, rights ...ledger.Right) map[string]any {
		_, err := s.DB.CreateUser(t.Context(),
			ledger.User{ID: name, IdentityProviderID: "acme", PrimaryParty: party}, rights)
		require.NoError(t, err)
		return map[string]any{"name": name}
	}
	give := func(body map[string]any) apitest.Answer {
		return s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", body)
	}
	for name, party := range map[string]ledger.Party{
		"of a user": victim.Party, "of the DSO": s.Node.DSO, "of the operator": s.Node.Operator,
	} {
		body := user("thief-"+string(party[:3]), party)
		fails(t, give(body), http.StatusBadRequest, "but the user has no right to act as it")
		rights, err := s.DB.UserRights(t.Context(), body["name"].(string))
		require.NoError(t, err)
		require.Empty(t, rights, name)
	}
	moved := user("moved", victim.Party)
	require.NoError(t, s.DB.MoveUser(t.Context(), "moved", "acme", ""))
	var answer struct {
		PartyID ledger.Party `json:"party_id"`
	}
	give(moved).OK(&answer)
	require.NotEqual(t, victim.Party, answer.PartyID, "its former provider said so")
	give(user("of-its-own", own.Party)).OK(nil)
	give(user("with-the-right", victim.Party, ledger.Right{Kind: ledger.CanActAs, Party: victim.Party})).OK(nil)
	named := user("named", victim.Party)
	named["party_id"], named["identity_provider_id"] = victim.Party, "acme"
	give(named).OK(nil)
}

// TestOnboardUser_NeedsIdentityProviderForTenantUser: a tenant may have a user with the name that the operator means.
func TestOnboardUser_NeedsIdentityProviderForTenantUser(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.IdentityProvider("acme")
	s.Onboard("somebody")
	_, err := s.DB.AllocateParty(t.Context(), ledger.PartyDetails{Party: s.Node.LocalParty("treasury"), IsLocal: true}, "")
	require.NoError(t, err)
	_, err = s.DB.CreateUser(t.Context(), ledger.User{ID: "treasurer", IdentityProviderID: "acme"}, nil)
	require.NoError(t, err)
	give := func(provider any) apitest.Answer {
		return s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{
			"name": "treasurer", "party_id": s.Node.LocalParty("treasury"), "identity_provider_id": provider,
		})
	}
	fails(t, give(nil), http.StatusBadRequest, "send identity_provider_id too")
	fails(t, give(""), http.StatusBadRequest, ", not to")
	give("acme").OK(nil)
}
