package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// operator is the window of an administrator of the node.
func operator(t *testing.T, server *httptest.Server) *browser {
	t.Helper()
	return window(t, server).as(apitest.Admin)
}

// upload submits the form of packages with a file.
func (b *browser) upload(name string, content []byte) *browser {
	b.t.Helper()
	path, form := b.form("/admin/packages")
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	require.NoError(b.t, parts.WriteField("form", form.Get("form")))
	file, err := parts.CreateFormFile("dar", name)
	require.NoError(b.t, err)
	_, err = file.Write(content)
	require.NoError(b.t, err)
	require.NoError(b.t, parts.Close())
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+path, &body)
	require.NoError(b.t, err)
	request.Header.Set("Content-Type", parts.FormDataContentType())
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.load(request)
}

func TestOperate_SignsInFirst(t *testing.T) {
	t.Parallel()
	server := node(t)
	b := window(t, server).open("/admin/users?as=alice").shows("Sign in to operate the node", "Sign in")
	b.press("/wallet/sign-in", "user", apitest.Admin)
	require.Equal(t, "/admin/users?as=alice", b.path)
	b.shows("Users and rights", "Operate", "Automation", "Settings")
	b.press("/wallet/sign-out").shows("Sign in to operate the node")
}

func TestOperate_SaysWhichRightIsMissing(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.open("/admin").shows("All parts are well.")
	for _, path := range []string{
		"/admin/automation", "/admin/users", "/admin/users/bob", "/admin/parties", "/admin/providers", "/admin/settings",
		"/admin/audit", "/admin/history",
	} {
		alice.open(path).shows(`This needs the right ParticipantAdmin, which "alice" does not have.`,
			"Somebody who has it can give it to you", "sign in as "+apitest.LedgerUser)
		require.Equal(t, http.StatusForbidden, alice.status, path)
	}
	// Everybody may see the packages, but not add one.
	alice.open("/admin/packages").shows("splice-amulet").upload("x.dar", []byte("x"))
	alice.shows("This needs the right ParticipantAdmin")
	alice.open("/admin/nothing").shows(`There is no page "/admin/nothing".`, "Go to the node's health.")
}

func TestOperate_ShowsDevelopmentLine(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	of := options(t, api.Handler)
	const line = "Development node: anybody may sign in as anybody."
	alice := window(t, serve(t, of)).open("/").shows(line).as("alice").shows(line)
	require.Contains(t, links(alice, "hx-get"), "/admin/ledger-time")
	of.Development = nil
	strict := window(t, serve(t, of)).open("/")
	require.NotContains(t, strict.words(), "Development node")
	require.NotContains(t, strict.text, "/admin/ledger-time")
}
