package webhook_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/webhook"
)

func TestReceiver_ThatIsSlowCountsAsUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	w.sender = w.newSender(func(options *webhook.Options) { options.Timeout = 200 * time.Millisecond })
	w.answers(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w.alice.Tap("1.0")
	require.Positive(t, w.deliver().Wait)
	require.Equal(t, map[string]int{db.AttemptUnknown: 1}, w.states())
	require.Equal(t, "no answer within 200ms", w.log()[0].Error)
}

func TestReceiver_IsNotFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	other := newReceiver(t)
	w.answers(func(answer http.ResponseWriter, r *http.Request) {
		http.Redirect(answer, r, other.url, http.StatusTemporaryRedirect)
	})
	w.alice.Tap("1.0")
	require.Positive(t, w.deliver().Wait)
	require.Empty(t, other.messages())
	require.Contains(t, w.log()[0].Error, "redirects")
	require.Equal(t, db.AttemptFailed, w.log()[0].State)
}

func TestReceiver_IsReadOnlyAFewKilobytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	var written atomic.Int64
	cut := make(chan struct{})
	w.answers(func(answer http.ResponseWriter, _ *http.Request) {
		defer close(cut)
		answer.WriteHeader(http.StatusInternalServerError)
		for written.Load() < 1<<30 {
			n, err := answer.Write([]byte(strings.Repeat("x", 1<<16)))
			if written.Add(int64(n)); err != nil {
				return
			}
		}
	})
	w.alice.Tap("1.0")
	require.Positive(t, w.deliver().Wait)
	<-cut
	require.Less(t, written.Load(), int64(1<<30), "the connection ends early")
	require.LessOrEqual(t, len(w.log()[0].Error), 200)
}

// The name was allowed when the webhook was made. Then it leads to a private address.
func TestReceiver_OnPrivateAddressIsNotReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	port := w.url[strings.LastIndex(w.url, ":"):]
	w.hook, w.secret = w.subscribe("http://receiver.example"+port, webhook.Completion)
	lookup := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	w.sender = w.newSender(func(options *webhook.Options) { options.Lookup = lookup })
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	require.Len(t, w.messages(), 1, "development nodes allow private addresses")
	for _, address := range []string{"127.0.0.1", "::1", "::ffff:10.1.2.3", "169.254.169.254", "100.64.0.1", "fd00::1"} {
		w.alice.Tap("1.0")
		w.sender = w.newSender(func(options *webhook.Options) {
			options.AllowPrivate = false
			options.Lookup = func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr(address)}, nil
			}
		})
		require.Positive(t, w.deliver().Wait)
		last := w.log()[len(w.log())-1]
		require.Equal(t, db.AttemptUnreachable, last.State, address)
		require.Contains(t, last.Error, "not public")
		w.clock.add(time.Hour)
	}
	require.Len(t, w.messages(), 1)
}

func TestRotate_SignsWithBothSecretsForADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Completion)
	var rotated webhookapi.WebhookSecretResponse
	w.Call("alice", http.MethodPost, webhookapi.Path+"/"+w.hook.ID+"/rotate", nil).OK(&rotated)
	require.NotEqual(t, w.secret, rotated.Secret)
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	w.clock.add(25 * time.Hour)
	w.alice.Tap("1.0")
	require.True(t, w.deliver().Over)
	got := w.messages()
	require.NoError(t, w.verify(w.secret, got[0]))
	require.NoError(t, w.verify(rotated.Secret, got[0]))
	require.Error(t, w.verify(w.secret, got[1]))
	require.NoError(t, w.verify(rotated.Secret, got[1]))
}

func TestWebhooks_AreDueOnlyWithEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, webhook.Update)
	bob := w.Wallet("bob")
	bob.Tap("1.0")
	take := func() []string {
		due, err := w.DB.TakeDueWebhooks(t.Context(), w.clock.Now(), 10)
		require.NoError(t, err)
		return due
	}
	require.Empty(t, take(), "the transactions of others wake nobody")
	before := w.stored().Next.Offset
	require.NoError(t, w.DB.SettleWebhooks(t.Context()))
	require.Greater(t, w.stored().Next.Offset, before, "a prune takes nothing from an idle webhook")
	w.alice.Tap("1.0")
	require.Equal(t, []string{w.hook.ID}, take())
	require.Empty(t, take(), "its workflow has time to look")
	before = w.stored().Next.Offset
	require.NoError(t, w.DB.SettleWebhooks(t.Context()))
	require.Equal(t, before, w.stored().Next.Offset, "waiting events are not passed by")
	w.clock.add(11 * time.Second)
	require.Equal(t, []string{w.hook.ID}, take(), "a lost workflow is called again")
	require.True(t, w.deliver().Over)
	w.clock.add(time.Minute)
	require.Empty(t, take())
}

func TestCheckURL_RefusesWhatIsNoPublicReceiver(t *testing.T) {
	t.Parallel()
	for url, reason := range map[string]string{
		"https://app.example/florin": "", "https://93.184.216.34:8443/": "",
		"http://app.example/":                              "--webhook-private-addresses",
		"https://app.example:65535/":                       "",
		"https://app.example:65536/":                       "ports are from 1 to 65535",
		"https://app.example:0/":                           "ports are from 1 to 65535",
		"https://[::127.0.0.1]/":                           "not a public address",
		"https://[::ffff:0:127.0.0.1]/":                    "not a public address",
		"https://[3fff::1]/":                               "not a public address",
		"https://[5f00::1]/":                               "not a public address",
		"https://[100:0:0:1::1]/":                          "not a public address",
		"https://168.63.129.16/":                           "not a public address",
		"https://[2606:4700::1111]/":                       "",
		"https://127.0.0.1/":                               "not a public address",
		"https://[::1]/":                                   "not a public address",
		"https://[::ffff:192.168.1.1]/":                    "not a public address",
		"https://user:secret@app.example/":                 "password",
		"https://app.example/#part":                        "fragment",
		"ftp://app.example/":                               "https://",
		"app.example":                                      "not the address",
		"https:///path":                                    "not the address",
		"https://app.example/" + strings.Repeat("x", 2000): "bytes",
	} {
		got := webhook.CheckURL(url, false)
		if reason == "" {
			require.Empty(t, got, url)
			continue
		}
		require.Contains(t, got, reason, url)
	}
	require.Empty(t, webhook.CheckURL("http://127.0.0.1:3000/", true))
	require.Contains(t, webhook.CheckURL("ftp://app.example/", true), "https:// or http://")
}

// The path of a receiver may be its secret, and errors of connections and answers may repeat it.
func TestReceiver_PathIsNeitherInTheLogOfTheNodeNorInErrors(t *testing.T) {
	t.Parallel()
	const secret = "hook-token-1234"
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		cut    bool
	}{
		"answers with its path": {answer: func(answer http.ResponseWriter, r *http.Request) {
			http.Error(answer, "Cannot POST "+r.URL.Path, http.StatusNotFound)
		}},
		"ends the connection": {cut: true, answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, webhook.Completion)
			w.change(map[string]any{"url": w.url + "/" + secret})
			var lines bytes.Buffer
			w.sender = w.newSender(func(options *webhook.Options) { options.Log = slog.New(slog.NewTextHandler(&lines, nil)) })
			w.answers(test.answer)
			w.alice.Tap("1.0")
			require.Positive(t, w.deliver().Wait)
			require.Contains(t, lines.String(), "does not take a message")
			require.NotContains(t, lines.String(), secret)
			require.NotEmpty(t, w.log()[0].Error)
			if test.cut {
				require.NotContains(t, w.log()[0].Error, secret)
			}
		})
	}
}
