package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

func TestWebhooks_AreMadeTestedAndRepairedOnThePage(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	status.Store(http.StatusInternalServerError)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, "<b>broken</b>")
	}))
	t.Cleanup(receiver.Close)
	api := apitest.NewWithCoin(t, apitest.Options{Once: true})
	server := serve(t, options(t, api.Handler))
	api.Onboard("alice")
	alice := window(t, server).as("alice")
	alice.open("/wallet/webhooks").shows("You have no webhooks.")
	alice.press("/wallet/webhooks", "url", "ftp://no.example/").shows("url must begin with https://")
	alice.open("/wallet/webhooks").press("/wallet/webhooks", "url", receiver.URL).shows("whsec_", "nothing shows it again", "active")
	alice.open("/wallet/webhooks")
	require.NotContains(t, alice.words(), "whsec_")
	hooks, err := api.DB.Webhooks(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, hooks, 1)
	page := "/wallet/webhooks/" + hooks[0].ID
	alice.open(page).press(page+"/test").shows("The receiver answered 500.", "<b>broken</b>", "failed")
	status.Store(http.StatusOK)
	alice.open(page).press(page+"/test").shows("The receiver accepted the message", "sent")
	alice.open(page).press(page+"/pause").shows("The webhook is paused.", "Resume")
	alice.open(page).press(page+"/resume").shows("goes on where it stopped", "Pause")
	alice.open(page).press(page + "/rotate").shows("whsec_")
	bob := window(t, server).as("bob")
	bob.open(page)
	require.Equal(t, http.StatusNotFound, bob.status)
	alice.open(page).press(page+"/delete").shows("The webhook is deleted.", "You have no webhooks.")
}
