package walletapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// fails requires an error in the form of /v0.
func fails(t *testing.T, answer apitest.Answer, status int, text string) {
	t.Helper()
	require.Equal(t, status, answer.Status, answer.Text)
	require.Contains(t, answer.Text, text)
	require.Contains(t, answer.Text, `{"error":"`)
}

// activeOf lists the payloads of the active contracts of a template that the party is a stakeholder of.
func activeOf[T any](t *testing.T, s *apitest.Server, party ledger.Party) map[ledger.ContractID]T {
	t.Helper()
	name, err := ledger.TemplateName[T](s.Packages)
	require.NoError(t, err)
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	stored, err := s.DB.ActiveContracts(t.Context(), db.ActiveQuery{
		Parties: []ledger.Party{party}, Templates: []string{name.String()}, At: head.Offset, Limit: 1000,
	})
	require.NoError(t, err)
	found := map[ledger.ContractID]T{}
	for _, contract := range stored {
		found[contract.ID], err = ledger.DecodePayload[T](s.Packages, contract.Contract)
		require.NoError(t, err)
	}
	return found
}

type users struct {
	s *apitest.Server
	t *testing.T
}

// onboard onboards a user, and requires that what belongs to a wallet is there exactly once.
func (u users) onboard(body map[string]any) ledger.Party {
	u.t.Helper()
	var answer struct {
		PartyID ledger.Party `json:"party_id"`
	}
	u.s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", body).OK(&answer)
	u.requireWallet(body["name"].(string), answer.PartyID)
	return answer.PartyID
}

func (u users) requireWallet(name string, party ledger.Party) {
	u.t.Helper()
	user, known, err := u.s.DB.User(u.t.Context(), ledger.DefaultUser(name))
	require.NoError(u.t, err)
	require.True(u.t, known)
	require.Equal(u.t, party, user.PrimaryParty)
	for _, holder := range []string{name, apitest.LedgerUser} {
		rights, err := u.s.DB.UserRights(u.t.Context(), holder)
		require.NoError(u.t, err)
		require.Contains(u.t, rights, ledger.Right{Kind: ledger.CanActAs, Party: party}, holder)
	}
	installs := 0
	for _, install := range activeOf[walletapp.WalletAppInstall](u.t, u.s, party) {
		if install.EndUserName == name {
			installs++
			require.Equal(u.t, walletapp.WalletAppInstall{
				DSOParty: u.s.Node.DSO, ValidatorParty: u.s.Node.Operator, EndUserName: name, EndUserParty: party,
			}, install)
		}
	}
	require.Equal(u.t, 1, installs)
	require.Equal(u.t, 1, u.rights(party))
	require.Equal(u.t, http.StatusOK, u.s.Call(name, http.MethodGet, "/v0/wallet/balance", nil).Status)
}

// rights counts the ValidatorRights of the operator to a party.
func (u users) rights(party ledger.Party) (count int) {
	u.t.Helper()
	for _, right := range activeOf[coin.ValidatorRight](u.t, u.s, party) {
		if right.User == party && right.Validator == u.s.Node.Operator {
			count++
		}
	}
	return count
}

func (u users) names() []string {
	u.t.Helper()
	var answer struct{ Usernames []string }
	u.s.Call(apitest.LedgerUser, http.MethodGet, "/v0/admin/users", nil).OK(&answer)
	return answer.Usernames
}

// page is a page of users, and the token of the next one; nil at the end.
func (u users) page(query string) (names []string, next *int64) {
	u.t.Helper()
	var answer struct {
		Usernames []string
		Next      *int64 `json:"next_page_token"`
	}
	u.s.Call(apitest.LedgerUser, http.MethodGet, "/v0/admin/users"+query, nil).OK(&answer)
	return answer.Usernames, answer.Next
}

// Of any number of wallets none is left out, and who asks for no page is told where to go on.
// contract: admin-users
func TestListUsers_ReturnsPages(t *testing.T) {
	t.Parallel()
	_, u := start(t)
	for _, name := range []string{"first", "second", "third", "fourth"} {
		u.onboard(map[string]any{"name": name})
	}
	all, next := u.page("")
	require.Subset(t, all, []string{"first", "fourth"})
	require.Nil(t, next)
	var paged []string
	for query := "?limit=2"; query != ""; {
		page, next := u.page(query)
		require.LessOrEqual(t, len(page), 2)
		paged, query = append(paged, page...), ""
		if next != nil {
			query = fmt.Sprintf("?limit=2&after=%d", *next)
		}
	}
	require.Equal(t, all, paged)
	_, next = u.page(fmt.Sprintf("?limit=%d", len(all)))
	require.Nil(t, next, "nothing is behind the last page, however full it is")
	for _, limit := range []string{"0", "1001"} {
		answer := u.s.Call(apitest.LedgerUser, http.MethodGet, "/v0/admin/users?limit="+limit, nil)
		require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
	}
}

// All wallets are listed, the oldest first.
func TestListUsers_ListsOldestFirst(t *testing.T) {
	t.Parallel()
	const more = 1500
	s, u := start(t)
	u.onboard(map[string]any{"name": "first"})
	installs := slices.Collect(maps.Keys(activeOf[walletapp.WalletAppInstall](t, s, s.Node.Operator)))
	plant(bank{Server: s, t: t}, installs[0], more)
	names, next := u.page("")
	require.Len(t, names, 1000)
	require.Contains(t, names, "first")
	require.NotNil(t, next)
	rest, next := u.page(fmt.Sprintf("?after=%d", *next))
	require.Nil(t, next)
	require.Len(t, rest, more+len(installs)-1000)
}

func (u users) offboard(name string) {
	u.t.Helper()
	answer := u.s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username="+name, nil)
	require.Equal(u.t, http.StatusOK, answer.Status, answer.Text)
	require.Empty(u.t, answer.Text)
}

func start(t *testing.T) (*apitest.Server, users) {
	t.Helper()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.OperatorWallet().Tap("10000")
	return s, users{s, t}
}

// contract: admin-users
func TestOnboardUser_ChoosesParty(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	given := string(s.Party("given"))
	refuse := func(t *testing.T, status int, text string, body map[string]any) {
		t.Helper()
		fails(t, s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", body), status, text)
	}
	t.Run("a new one that is named after the user", func(t *testing.T) {
		require.Equal(t, s.Node.LocalParty("alice_0040example_002ecom"),
			u.onboard(map[string]any{"name": "alice@example.com"}))
		require.Equal(t, s.Node.LocalParty("auth0_007c5f"), u.onboard(map[string]any{"name": "auth0|5f"}))
		require.Equal(t, s.Node.LocalParty("a__b"), u.onboard(map[string]any{"name": "a_b", "createPartyIfMissing": true}))
	})
	t.Run("the primary party that it has", func(t *testing.T) {
		party := s.Party("carols")
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "carol", PrimaryParty: party}, nil)
		require.NoError(t, err)
		require.Equal(t, party, u.onboard(map[string]any{"name": "carol", "createPartyIfMissing": false}))
		require.Equal(t, party, u.onboard(map[string]any{"name": "carol", "party_id": given}))
	})
	t.Run("never that of the network", func(t *testing.T) {
		dso := string(s.Node.DSO)
		refuse(t, 400, "Party "+dso+" is the DSO, which runs the network and has no wallet",
			map[string]any{"name": "dsos", "party_id": dso})
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "dsos", PrimaryParty: s.Node.DSO}, nil)
		require.NoError(t, err)
		refuse(t, 400, "is the DSO", map[string]any{"name": "dsos"})
	})
	t.Run("the one that is given", func(t *testing.T) {
		require.EqualValues(t, given, u.onboard(map[string]any{"name": "dave", "party_id": given}))
		require.EqualValues(t, given, u.onboard(map[string]any{"name": "dora", "party_id": given}))
	})
	t.Run("a user without a party gets one", func(t *testing.T) {
		s.Rights("erin")
		require.Equal(t, s.Node.LocalParty("erin"), u.onboard(map[string]any{"name": "erin"}))
	})
	t.Run("the one that is given, allocated", func(t *testing.T) {
		body := map[string]any{"name": "frank", "party_id": "franks::1220aa", "createPartyIfMissing": true}
		require.Equal(t, s.Node.LocalParty("franks"), u.onboard(body))
	})
	t.Run("never one that was allocated for somebody else", func(t *testing.T) {
		s.ActingAs("mallory", s.Party("grace"))
		party := u.onboard(map[string]any{"name": "grace"})
		require.NotEqual(t, s.Node.LocalParty("grace"), party)
		require.Contains(t, string(party), "grace-")
		require.Equal(t, party, u.onboard(map[string]any{"name": "grace"}))
	})
	t.Run("one that is there already, if it is nobody else's", func(t *testing.T) {
		party := s.Party("henrys")
		s.Rights("henry", ledger.Right{Kind: ledger.CanActAs, Party: party})
		_, err := s.DB.GrantRights(t.Context(), apitest.LedgerUser, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
		require.NoError(t, err)
		require.Equal(t, party,
			u.onboard(map[string]any{"name": "henry", "party_id": party, "createPartyIfMissing": true}))
		free := s.Party("free")
		require.Equal(t, free, u.onboard(map[string]any{"name": "ines", "party_id": free, "createPartyIfMissing": true}))
	})
	t.Run("one of somebody else's on purpose alone", func(t *testing.T) {
		for _, kind := range []ledger.RightKind{ledger.CanActAs, ledger.CanReadAs} {
			name := "victim-" + strings.ToLower(string(kind))
			party := s.Party(name)
			s.Rights("squatter-"+name, ledger.Right{Kind: kind, Party: party})
			for _, asked := range []string{string(party), name + "::1220aa"} {
				refuse(t, 409, "Party "+string(party)+" already exists, and user 'squatter-"+name+"' may act or read as it. "+
					"Omit createPartyIfMissing to give it to user '"+name+"' anyway, or send another party_id.",
					map[string]any{"name": name, "party_id": asked, "createPartyIfMissing": true})
			}
			require.NotContains(t, u.names(), name)
			require.Equal(t, party, u.onboard(map[string]any{"name": name, "party_id": party}))
		}
	})
	t.Run("refused", func(t *testing.T) {
		refuse(t, 400, "party_id must be provided when createPartyIfMissing is false and no existing party for user "+
			"nobody is found.", map[string]any{"name": "nobody", "createPartyIfMissing": false})
		refuse(t, 400, "Failed to decode: ", map[string]any{"name": "nobody", "party_id": "no party"})
		refuse(t, 400, "is not hosted on this participant", map[string]any{"name": "nobody", "party_id": "x::1220aa"})
		external := s.ExternalParty("external", 1, s.Key(signing.Curve25519))
		refuse(t, 400, "is an external party", map[string]any{"name": "nobody", "party_id": external})
		refuse(t, 400, `\"..\" cannot be a name`, map[string]any{"name": "..", "createPartyIfMissing": true})
		refuse(t, 400, "does not match regex", map[string]any{"name": "no user\n"})
		require.NotContains(t, u.names(), "nobody")
		answer := s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{})
		require.Contains(t, answer.Plain(400), "The request content was malformed:")
	})
}

func TestOnboardUser_AddsSuffixToTakenHint(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	s.ActingAs("mallory", s.Party("sv"))
	party := s.OnboardWithHint("sv-user", "sv")
	require.NotEqual(t, s.Node.LocalParty("sv"), party)
	u.requireWallet("sv-user", party)
	require.Equal(t, party, s.OnboardWithHint("sv-user", "sv"), "and keeps it")
	require.Equal(t, s.Node.LocalParty("provider"), s.OnboardWithHint("app-provider", "provider"))
	own := s.Party("own")
	require.Equal(t, own, s.OnboardWithHint("owner", "own"), "nobody has it")
}

// A contract that a tenant's user signed for a party stays valid when the user is gone.
func TestOnboardUser_RefusesPartyOfIdentityProvider(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	require.NoError(t, s.DB.CreateIdentityProvider(t.Context(), ledger.IdentityProvider{
		ID: "acme", Issuer: "https://acme.example", JWKSURL: "https://acme.example/jwks",
	}))
	party := s.Node.LocalParty("treasurer")
	_, err := s.DB.HostParty(t.Context(), db.Hosting{
		Details: ledger.PartyDetails{Party: party, IsLocal: true, IdentityProviderID: "acme"},
		Entry: func(at ledger.Position) ledger.Update {
			return ledger.NewHosting(s.Node, party, at, ledger.TraceContext{})
		},
	})
	require.NoError(t, err)
	left, err := s.DB.UsersOfParty(t.Context(), party, 1)
	require.NoError(t, err)
	require.Empty(t, left)
	fails(t, s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{
		"name": "treasurer", "party_id": party, "createPartyIfMissing": true,
	}), http.StatusConflict, "identity provider 'acme' allocated it")
	for _, given := range []ledger.Party{
		u.onboard(map[string]any{"name": "treasurer"}), s.OnboardWithHint("treasurer-user", "treasurer"),
	} {
		require.NotEqual(t, party, given)
		require.Contains(t, string(given), "treasurer-")
	}
}

func TestOnboardUser_IsIdempotent(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	t.Run("one after the other", func(t *testing.T) {
		t.Parallel()
		first := u.onboard(map[string]any{"name": "alice"})
		require.Equal(t, first, u.onboard(map[string]any{"name": "alice"}))
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { s.Call("bob", http.MethodPost, "/v0/register", nil) })
		}
		group.Wait()
		users{s, t}.requireWallet("bob", s.Node.LocalParty("bob"))
	})
	t.Run("after it broke off at each step", func(t *testing.T) {
		t.Parallel()
		name, party := "carol", s.Node.LocalParty("carol")
		require.NoError(t, s.DB.GiveWallet(t.Context(), db.Wallet{
			Owner: ledger.DefaultUser(name), Party: party, BySelf: true, Hosting: &db.Hosting{
				Details: ledger.PartyDetails{Party: party, IsLocal: true},
				Entry: func(at ledger.Position) ledger.Update {
					return ledger.NewHosting(s.Node, party, at, ledger.TraceContext{})
				},
			},
		}))
		require.Equal(t, party, users{s, t}.onboard(map[string]any{"name": name}), "the contracts are missing")
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "dave", PrimaryParty: party}, nil)
		require.NoError(t, err)
		require.Equal(t, party, users{s, t}.onboard(map[string]any{"name": "dave"}), "the user was created")
		_, err = s.DB.RevokeRights(t.Context(), apitest.LedgerUser, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
		require.NoError(t, err)
		require.Equal(t, party, users{s, t}.onboard(map[string]any{"name": "dave"}), "the operator has no right")
	})
}

func TestRegister_GivesPartyAndWallet(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	register := func(name string, body any) ledger.Party {
		var answer struct {
			PartyID ledger.Party `json:"party_id"`
		}
		s.Call(name, http.MethodPost, "/v0/register", body).OK(&answer)
		u.requireWallet(name, answer.PartyID)
		return answer.PartyID
	}
	party := register("alice", nil)
	require.Equal(t, s.Node.LocalParty("alice"), party)
	require.Equal(t, party, register("alice", "null"))
	require.Equal(t, party, register("alice", map[string]any{}))

	t.Run("gives nobody the party of others", func(t *testing.T) {
		t.Parallel()
		require.NotEqual(t, s.Node.Operator, register("operator-2", nil))
		s.Party("theirs")
		require.NotEqual(t, s.Node.LocalParty("theirs"), register("theirs", nil))
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "mallory", PrimaryParty: s.Node.Operator}, nil)
		require.NoError(t, err)
		fails(t, s.Call("mallory", http.MethodPost, "/v0/register", nil), 403, "Authorization Failed for mallory")
	})
	t.Run("refuses deactivated users", func(t *testing.T) {
		t.Parallel()
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "gone", IsDeactivated: true}, nil)
		require.NoError(t, err)
		fails(t, s.Call("gone", http.MethodPost, "/v0/register", nil), 403, "Authorization Failed for gone")
		fails(t, s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users", map[string]any{"name": "gone"}),
			400, "User 'gone' is deactivated")
	})
	t.Run("needs a token", func(t *testing.T) {
		t.Parallel()
		answer := s.Call("", http.MethodPost, "/v0/register", nil)
		require.Contains(t, answer.Plain(401), "The resource requires authentication")
		require.Equal(t, `Bearer realm="splice validator realm"`, answer.Header.Get("Www-Authenticate"))
	})
}

// Each request removes a right from the operator's user, which sends all requests.
func TestOffboardUser_SucceedsConcurrently(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	const users = 6
	for i := range users {
		u.onboard(map[string]any{"name": fmt.Sprint("leaving-", i)})
	}
	answers := make([]apitest.Answer, users)
	var leaving sync.WaitGroup
	for i := range users {
		leaving.Go(func() {
			answers[i] = s.Call(apitest.LedgerUser, http.MethodPost,
				fmt.Sprint("/v0/admin/users/offboard?username=leaving-", i), nil)
		})
	}
	leaving.Wait()
	for _, answer := range answers {
		answer.OK(nil)
	}
	require.Equal(t, []string{s.Node.OperatorUser}, u.names())
}

func TestOffboardUser_RemovesWalletAndRights(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	party := u.onboard(map[string]any{"name": "alice"})
	require.Equal(t, party, u.onboard(map[string]any{"name": "also", "party_id": party}))
	require.Equal(t, []string{s.Node.OperatorUser, "alice", "also"}, u.names())
	actAs := ledger.Right{Kind: ledger.CanActAs, Party: party}

	u.offboard("alice")
	require.Equal(t, []string{s.Node.OperatorUser, "also"}, u.names())
	_, known, err := s.DB.User(t.Context(), ledger.DefaultUser("alice"))
	require.NoError(t, err)
	require.False(t, known)
	fails(t, s.Call("alice", http.MethodGet, "/v0/wallet/balance", nil), 404,
		"No wallet found for user 'alice' for operation 'getBalance'")
	u.requireWallet("also", party)

	u.offboard("also")
	require.Empty(t, activeOf[walletapp.WalletAppInstall](t, s, party))
	require.Zero(t, u.rights(party))
	rights, err := s.DB.UserRights(t.Context(), apitest.LedgerUser)
	require.NoError(t, err)
	require.NotContains(t, rights, actAs)

	u.offboard("also")
	u.offboard("nobody")
	require.Equal(t, party, u.onboard(map[string]any{"name": "alice"}), "coming back restores access")

	t.Run("goes on where it broke off", func(t *testing.T) {
		require.NoError(t, s.DB.DeleteUser(t.Context(), "alice"))
		u.offboard("alice")
		require.Equal(t, []string{s.Node.OperatorUser}, u.names())
	})
	t.Run("is refused for the operator", func(t *testing.T) {
		for _, name := range []string{s.Node.OperatorUser, apitest.LedgerUser} {
			fails(t, s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard?username="+name, nil), 400,
				"Tried to offboard the validator's user: "+name)
		}
		answer := s.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/users/offboard", nil)
		require.Equal(t, "Request is missing required query parameter 'username'", answer.Plain(404))
	})
}

func TestAdminEndpoints_RefuseOtherUsers(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	s.Onboard("alice")
	_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "half", PrimaryParty: s.Node.Operator},
		[]ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	o := outsider{t: t, s: s, key: s.Key(signing.Curve25519)}
	submission := object{"submission": object{
		"party_id": "x::1220aa", "transaction": "AAAA", "signed_tx_hash": "00", "public_key": o.public(),
	}}
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/v0/admin/users", object{"name": "x"}},
		{http.MethodGet, "/v0/admin/users", nil},
		{http.MethodPost, "/v0/admin/users/offboard?username=alice", nil},
		{http.MethodGet, "/v0/admin/participant/identities", nil},
		{http.MethodGet, "/v0/admin/participant/global-domain-connection-config", nil},
		{http.MethodGet, preapprovals, nil},
		{http.MethodGet, byParty + "x::1220aa", nil},
		{http.MethodDelete, byParty + "x::1220aa", nil},
		{http.MethodPost, generatePath, object{"party_hint": "x", "public_key": o.public()}},
		{http.MethodPost, topologyPath, object{"public_key": o.public(), "signed_topology_txs": []object{}}},
		{http.MethodPost, proposalPath, object{"user_party_id": "x::1220aa"}},
		{http.MethodGet, proposalPath, nil},
		{http.MethodPost, prepareAccept, object{"contract_id": "00", "user_party_id": "x::1220aa"}},
		{http.MethodPost, submitAccept, submission},
		{http.MethodPost, prepareSend, object{
			"sender_party_id": "x::1220aa", "receiver_party_id": "x::1220aa", "amount": 1,
			"expires_at": "2030-01-01T00:00:00Z", "nonce": 0,
		}},
		{http.MethodPost, submitSend, submission},
		{http.MethodGet, balancePath + "x::1220aa", nil},
	} {
		answer := s.Call("", call.method, call.path, call.body)
		require.Contains(t, answer.Plain(401), "The resource requires authentication")
		require.Equal(t, `Bearer realm="splice validator operator realm"`, answer.Header.Get("Www-Authenticate"))
		for _, user := range []string{"alice", "half", "nobody", apitest.Admin, s.Node.OperatorUser} {
			fails(t, s.Call(user, call.method, call.path, call.body), 403, "Authorization Failed for "+user)
		}
	}
}

func TestOperatorWallet_ExistsWithLicense(t *testing.T) {
	t.Parallel()
	s, u := start(t)
	again := s.OperatorWallet()
	u.requireWallet(s.Node.OperatorUser, s.Node.Operator)
	require.Equal(t, s.Node.Operator, again.Party)
	licenses := activeOf[coin.ValidatorLicense](t, s, s.Node.Operator)
	require.Len(t, licenses, 1)
	for _, license := range licenses {
		require.Equal(t, s.Node.Operator, license.Validator)
	}
}
