package walletapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// The wallet keeps its party if the user's primary party changes: the primary party is only information and gives no
// right.
func TestWallet_KeptWhenPrimaryPartyChanges(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	other := s.Party("other")
	for name, primary := range map[string]ledger.Party{
		"none": "", "another": other, "unknown": s.Node.LocalParty("nobody"), "operators": s.Node.Operator, "dso": s.Node.DSO,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wallet := s.Onboard(name)
			wallet.Tap("25")
			s.Call(apitest.Admin, http.MethodPatch, "/v2/users/"+name, fmt.Sprintf(
				`{"user":{"id":%q,"primaryParty":%q},"updateMask":{"paths":["primary_party"]}}`, name, primary)).OK(nil)

			require.JSONEq(t, fmt.Sprintf(`{"party_id":%q,"user_onboarded":true,"user_wallet_installed":true,
				"has_featured_app_right":false}`, wallet.Party), s.Call(name, http.MethodGet, "/v0/wallet/user-status", nil).Text)
			requireBalance := func() {
				t.Helper()
				require.Contains(t, s.Call(name, http.MethodGet, "/v0/wallet/balance", nil).Text,
					`"effective_unlocked_qty":"25.0000000000"`)
			}
			requireBalance()
			require.Contains(t, u.names(), name)

			for _, open := range []struct {
				user, path string
				body       any
			}{
				{name, "/v0/register", nil},
				{apitest.LedgerUser, "/v0/admin/users", map[string]any{"name": name}},
				{apitest.LedgerUser, "/v0/admin/users", map[string]any{"name": name, "createPartyIfMissing": false}},
			} {
				var answer struct {
					PartyID ledger.Party `json:"party_id"`
				}
				s.Call(open.user, http.MethodPost, open.path, open.body).OK(&answer)
				require.Equal(t, wallet.Party, answer.PartyID, "%s again changes nothing", open.path)
			}
			requireBalance()
			installs := activeOf[walletapp.WalletAppInstall](t, s, s.Node.Operator)
			maps.DeleteFunc(installs, func(_ ledger.ContractID, install walletapp.WalletAppInstall) bool {
				return install.EndUserName != name
			})
			require.Len(t, installs, 1)
			u.offboard(name)
			require.NotContains(t, u.names(), name)
		})
	}
}

// An operator can create a WalletAppInstall directly. The user has no wallet until the party of this contract is the
// user's primary party.
func TestWallet_ManualInstallNeedsPrimaryParty(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	party := s.Party("hand")
	acting := ledger.Right{Kind: ledger.CanActAs, Party: party}
	s.Rights("hand", acting)
	s.Rights("maker", acting, ledger.Right{Kind: ledger.CanActAs, Party: s.Node.Operator})
	s.Call("maker", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commandId": "by hand", "actAs": []ledger.Party{party, s.Node.Operator},
		"commands": []any{map[string]any{"CreateCommand": map[string]any{
			"templateId": "#splice-wallet:Splice.Wallet.Install:WalletAppInstall",
			"createArguments": map[string]any{
				"dsoParty": s.Node.DSO, "validatorParty": s.Node.Operator, "endUserName": "hand", "endUserParty": party,
			},
		}}},
	}).OK(nil)
	require.Contains(t, u.names(), "hand", "the operator sees the contract")
	require.JSONEq(t, `{"party_id":"","user_onboarded":false,"user_wallet_installed":false,
		"has_featured_app_right":false}`, s.Call("hand", http.MethodGet, "/v0/wallet/user-status", nil).Text)
	fails(t, s.Call("hand", http.MethodGet, "/v0/wallet/balance", nil), http.StatusNotFound,
		"No wallet found for user 'hand' for operation ")

	s.Call(apitest.Admin, http.MethodPatch, "/v2/users/hand", fmt.Sprintf(
		`{"user":{"id":"hand","primaryParty":%q},"updateMask":{"paths":["primary_party"]}}`, party)).OK(nil)
	require.JSONEq(t, fmt.Sprintf(`{"party_id":%q,"user_onboarded":true,"user_wallet_installed":true,
		"has_featured_app_right":false}`, party), s.Call("hand", http.MethodGet, "/v0/wallet/user-status", nil).Text)
	s.Call("hand", http.MethodPost, "/v0/wallet/tap", map[string]any{"amount": "3"}).OK(nil)
	require.Contains(t, s.Call("hand", http.MethodGet, "/v0/wallet/balance", nil).Text,
		`"effective_unlocked_qty":"600.0000000000"`)
}
