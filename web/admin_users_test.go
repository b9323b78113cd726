package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestUsers_ListsWhoMayActAsAParty(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	acme := api.Party("acme")
	api.ActingAs("clerk", acme)
	api.Rights("auditor", ledger.Right{Kind: ledger.CanReadAs, Party: acme})
	api.Rights("robot", ledger.Right{Kind: ledger.CanActAsAnyParty})
	api.ActingAs("stranger", api.Party("acme-two"))
	b := operator(t, serve(t, options(t, api.Handler)))
	b.open("/admin/users").shows("clerk acts as acme", "auditor reads as acme", "robot acts as every party",
		"stranger acts as acme-two", apitest.Admin)
	for _, as := range []string{"acme", string(acme)} {
		b.open("/admin/users?as="+url.QueryEscape(as)).shows("clerk acts as acme", "auditor reads as acme",
			"robot acts as every party")
		require.NotContains(t, b.words(), "stranger")
	}
	b.open("/admin/parties?begins=acme::").shows("acme")
	require.NotContains(t, b.words(), "acme-two")
	b.open(b.linkOn("/admin/users?as=acme")).shows("clerk acts as acme")
	b.open("/admin/users?as=nobody").shows("robot acts as every party")
	require.NotContains(t, b.words(), "clerk")
}

func TestUsers_PagesThroughMany(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	late := api.Party("late")
	for i := range 60 {
		api.Rights("many-" + strconv.Itoa(i))
	}
	api.ActingAs("zoe", late)
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/users")
	require.NotContains(t, b.words(), "zoe")
	b.open(b.linkOn("/admin/users?after=")).shows("zoe acts as late")
	b.open("/admin/users?as=late").shows("zoe acts as late") // it is on the second page of the node's answer
}

func TestUsers_AreAddedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	acme, beta := api.Party("acme"), api.Party("beta")
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/users")
	b.press("/admin/users", "id", "clerk", "party", "nobody").shows(`No party is called "nobody".`, "Add it under Parties")
	require.Contains(t, b.text, `value="clerk"`)
	require.Contains(t, b.text, `value="nobody"`)
	b.press("/admin/users", "id", "", "party", "").shows(`The field "User" is empty.`)
	b.press("/admin/users", "id", "a clerk").shows("a clerk")
	require.Equal(t, http.StatusUnprocessableEntity, b.status)
	b.press("/admin/users", "id", "clerk", "party", "acme").shows("The user clerk is added.", "acts as acme", "active")
	require.Equal(t, "/admin/users/clerk", b.path)

	b.press("/grant", "kind", "CanReadAs", "party", string(beta)).shows("clerk now reads as beta.", "CanReadAs")
	b.press("/grant", "kind", "CanReadAs", "party", "").shows(`The field "Party" is empty.`)
	b.press("/grant", "kind", "Everything", "party", "").shows("There is no right Everything.")
	b.press("/grant", "kind", "ParticipantAdmin", "party", "").shows("clerk now administers the node.")
	b.press("/revoke", "kind", "CanActAs", "party", string(acme)).shows("clerk no longer acts as acme.")
	require.NotContains(t, strings.ReplaceAll(b.words(), "no longer acts as acme", ""), "acts as acme")
	b.press("/admin/users/clerk", "primary", "beta").shows("The primary party of clerk is changed.", "Primary party beta")

	b.press("/state").shows("The node now refuses the tokens of clerk.", "deactivated")
	answer := api.Call("clerk", http.MethodGet, "/v2/authenticated-user", nil)
	require.NotEqual(t, http.StatusOK, answer.Status, answer.Text)
	b.press("/state").shows("clerk can sign in again.", "active")
	api.Call("clerk", http.MethodGet, "/v2/authenticated-user", nil).OK(nil)

	b.press("/delete").shows("The user clerk is deleted.")
	require.Equal(t, "/admin/users", b.path)
	b.open("/admin/users/clerk").shows("clerk")
	require.Equal(t, http.StatusNotFound, b.status)

	// Nobody takes the node from oneself.
	b.open("/admin/users/" + apitest.Admin).shows("You are this user")
	b.press("/revoke", "kind", "ParticipantAdmin", "party", "").shows("cannot revoke its own ParticipantAdmin right")
}

func TestParties_AreAdded(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	api.Rights("clerk")
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/parties").shows("operator", "on this node")
	b.press("/admin/parties", "name", "a/b").shows("partyIdHint")
	require.Contains(t, b.text, `value="a/b"`)
	b.press("/admin/parties", "name", "acme", "user", "clerk").shows("The party acme is added.", "acme::1220")
	b.open("/admin/users?as=acme").shows("clerk acts as acme")
	b.open("/admin/parties").press("/admin/parties", "name", "acme").shows("acme")
	require.Equal(t, http.StatusUnprocessableEntity, b.status, "the party exists")
}

func TestProviders_AreAddedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/providers").shows("There are none.")
	const keys = "https://idp.example/keys.json"
	b.press("/admin/providers", "id", "firm", "issuer", "https://idp.example", "keys", "nowhere").shows("jwks_url")
	require.Contains(t, b.text, `value="nowhere"`)
	b.press("/admin/providers", "id", "firm", "issuer", "https://idp.example", "keys", keys)
	b.shows("The node now accepts tokens of https://idp.example.", "firm https://idp.example active")
	b.press("/admin/providers/firm", "keys", "nowhere", "state", "active").shows("jwks_url")
	require.Contains(t, b.text, `value="nowhere"`, "what was typed stays")
	b.press("/admin/providers/firm", "keys", keys, "audience", "florin", "state", "deactivated")
	b.shows("The identity provider firm is changed.", "deactivated")
	var stored struct {
		Config struct {
			Audience      string
			IsDeactivated bool
			JWKSURL       string
		} `json:"identityProviderConfig"`
	}
	api.Call(apitest.Admin, http.MethodGet, "/v2/idps/firm", nil).OK(&stored)
	require.Equal(t, "florin", stored.Config.Audience)
	require.True(t, stored.Config.IsDeactivated)
	require.Equal(t, keys, stored.Config.JWKSURL)
	b.press("/admin/providers/firm/delete").shows("The identity provider firm is deleted.", "There are none.")
}
