package changes_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/test/apitest"
)

// sendKeyed sends a change of a user with a key.
func sendKeyed(t *testing.T, s *apitest.Server, user, key, path string, body any) apitest.Answer {
	t.Helper()
	return s.Send(http.MethodPost, path, http.Header{
		"Authorization": {"Bearer " + apitest.Token(t, user)}, changes.KeyHeader: {key},
	}, body)
}

func balance(t *testing.T, s *apitest.Server, user string) string {
	t.Helper()
	var answer struct {
		Unlocked string `json:"effective_unlocked_qty"`
	}
	s.Call(user, http.MethodGet, "/v0/wallet/balance", nil).OK(&answer)
	return answer.Unlocked
}

const (
	tap    = "/v0/wallet/tap"
	offers = "/v0/wallet/transfer-offers"
)

// requireReplay requires the first answer again.
func requireReplay(t *testing.T, first, second apitest.Answer) {
	t.Helper()
	require.Equal(t, first.Status, second.Status, second.Text)
	require.Equal(t, first.Text, second.Text)
	require.Equal(t, first.Header.Get("Content-Type"), second.Header.Get("Content-Type"))
	require.Equal(t, first.Header.Get("Florin-Workflow-Id"), second.Header.Get("Florin-Workflow-Id"))
	require.Empty(t, first.Header.Get(changes.ReplayedHeader))
	require.Equal(t, "true", second.Header.Get(changes.ReplayedHeader))
}

func TestIdempotencyKey_MakesChangeOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	s.Onboard("bob")
	body := `{"amount":"10"}`
	first := sendKeyed(t, s, "alice", "key-1", tap, body)
	first.OK(nil)
	require.NotEmpty(t, first.Header.Get("Florin-Workflow-Id"))
	requireReplay(t, first, sendKeyed(t, s, "alice", "key-1", tap, body))
	requireReplay(t, first, sendKeyed(t, s.Twin(apitest.Options{}), "alice", "key-1", tap, body))
	require.Equal(t, "2000.0000000000", balance(t, s, "alice"), "the tap is in US dollars")

	t.Run("other keys and other users are others", func(t *testing.T) {
		sendKeyed(t, s.In(t), "alice", "key-2", tap, body).OK(nil)
		sendKeyed(t, s.In(t), "bob", "key-1", tap, body).OK(nil)
		require.Equal(t, "4000.0000000000", balance(t, s, "alice"))
		require.Equal(t, "2000.0000000000", balance(t, s, "bob"))
	})
	t.Run("another request with the key is refused", func(t *testing.T) {
		for path, other := range map[string]string{
			tap: `{"amount":"11"}`, tap + "?a=b": body, "/v0/wallet/transfer-preapproval": "",
		} {
			answer := sendKeyed(t, s.In(t), "alice", "key-1", path, other)
			require.Equal(t, http.StatusUnprocessableEntity, answer.Status, answer.Text)
			require.Contains(t, answer.Text, `The Idempotency-Key \"key-1\" was used for another request: its method, path, `+
				`query or body differs. Send exactly the first request again, or use a new key for a new request.`)
		}
	})
	t.Run("refusals are answers too", func(t *testing.T) {
		first := sendKeyed(t, s.In(t), "alice", "key-3", offers+"/00aa/accept", "")
		require.Equal(t, http.StatusNotFound, first.Status, first.Text)
		requireReplay(t, first, sendKeyed(t, s.In(t), "alice", "key-3", offers+"/00aa/accept", ""))
	})
	t.Run("what reads takes no notice of keys", func(t *testing.T) {
		path := "/v0/wallet/buy-traffic-requests/none/status"
		for range 2 {
			answer := sendKeyed(t, s.In(t), "alice", "key-1", path, "")
			require.Equal(t, http.StatusNotFound, answer.Status)
			require.Empty(t, answer.Header.Get(changes.ReplayedHeader))
		}
	})
}

func TestIdempotencyKey_RefusesInvalidKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	for name, test := range map[string]struct {
		keys []string
		text string
	}{
		"empty":    {[]string{""}, "The Idempotency-Key has 0 characters. Send 1 to 255, such as a UUID."},
		"too long": {[]string{strings.Repeat("k", 256)}, "The Idempotency-Key has 256 characters. Send 1 to 255"},
		"a space":  {[]string{"a b"}, "The Idempotency-Key has the byte 0x20 at position 2."},
		"no ASCII": {[]string{"é"}, "The Idempotency-Key has the byte 0xc3 at position 1."},
		"two keys": {[]string{"a", "b"}, "The request has the header Idempotency-Key 2 times. Send it once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.In(t).Send(http.MethodPost, tap, http.Header{
				"Authorization": {"Bearer " + apitest.Token(t, "alice")}, changes.KeyHeader: test.keys,
			}, `{"amount":"1"}`)
			require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
			require.Contains(t, answer.Text, test.text)
		})
	}
	sendKeyed(t, s, "alice", strings.Repeat("~", 255), tap, `{"amount":"1"}`).OK(nil)
}

func TestIdempotencyKey_ConcurrentRequestsActOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	twin := s.Twin(apitest.Options{})
	const many = 12
	answers := make([]apitest.Answer, many)
	var group sync.WaitGroup
	for i := range answers {
		node := s
		if i%2 == 0 {
			node = twin
		}
		group.Go(func() { answers[i] = sendKeyed(t, node, "alice", "race", tap, `{"amount":"5"}`) })
	}
	group.Wait()
	first := ""
	for _, answer := range answers {
		if answer.Status == http.StatusConflict {
			require.Equal(t, "1", answer.Header.Get("Retry-After"))
			require.Contains(t, answer.Text, `The request with the Idempotency-Key \"race\" is still being served.`)
			continue
		}
		answer.OK(nil)
		if first == "" {
			first = answer.Text
		}
		require.Equal(t, first, answer.Text)
	}
	require.NotEmpty(t, first)
	require.Equal(t, "1000.0000000000", balance(t, s, "alice"))
}

// forgetfulStore is a store of a node that dies after its change and before it stores the answer.
type forgetfulStore struct{ *db.DB }

func (forgetfulStore) AnswerIdempotencyKey(context.Context, db.KeyClaim, db.KeyedAnswer) (bool, error) {
	return false, errors.New("the node is gone")
}

func TestIdempotencyKey_OtherNodeAnswersAfterCrash(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Onboard("alice"), s.Onboard("bob")
	dying := s.Twin(apitest.Options{Answers: forgetfulStore{s.DB}, HoldKeys: time.Nanosecond})
	offer := map[string]any{
		"receiver_party_id": bob.Party, "amount": "3", "description": "", "tracking_id": "offer-1",
		"expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
	check := func(user, key, path string, body any) string {
		t.Helper()
		first := sendKeyed(t, dying, user, key, path, body)
		first.OK(nil)
		second := sendKeyed(t, dying, user, key, path, body)
		require.Equal(t, first.Status, second.Status, second.Text)
		require.Equal(t, first.Text, second.Text)
		require.Equal(t, first.Header.Get("Florin-Workflow-Id"), second.Header.Get("Florin-Workflow-Id"))
		third := sendKeyed(t, s, user, key, path, body)
		require.Equal(t, first.Text, third.Text)
		requireReplay(t, third, sendKeyed(t, s, user, key, path, body))
		return first.Text
	}
	check("alice", "tap", tap, `{"amount":"7"}`)
	require.Equal(t, "1400.0000000000", balance(t, s, "alice"))
	created := check("alice", "offer", offers, offer)
	id := created[strings.Index(created, ":\"")+2 : strings.LastIndex(created, "\"")]
	check("bob", "accept", offers+"/"+id+"/accept", "")
	s.Automate()
	require.Equal(t, "3.0000000000", balance(t, s, "bob"))
	require.Equal(t, "1397.0000000000", balance(t, s, "alice"))
	check("alice", "traffic", "/v0/wallet/buy-traffic-requests", map[string]any{
		"receiving_validator_party_id": alice.Party, "domain_id": s.Node.SynchronizerID, "traffic_amount": 200_000,
		"tracking_id": "traffic-1", "expires_at": time.Now().Add(time.Hour).UnixMicro(),
	})
	s.OperatorWallet().Tap("1000")
	check("alice", "preapproval", "/v0/wallet/transfer-preapproval", "")
}

// A retry after the offer's deadline gets the first answer, although nobody can make the offer any more.
func TestIdempotencyKey_AnswersRetryAfterDeadline(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	bob := s.Onboard("bob")
	dying := s.Twin(apitest.Options{Answers: forgetfulStore{s.DB}, HoldKeys: time.Nanosecond})
	deadline := time.Now().Add(5 * time.Second).UnixMicro()
	offer := func(trackingID string) map[string]any {
		return map[string]any{
			"receiver_party_id": bob.Party, "amount": "3", "description": "", "tracking_id": trackingID,
			"expires_at": deadline,
		}
	}
	first := sendKeyed(t, dying, "alice", "in-time", offers, offer("in-time"))
	first.OK(nil)
	require.Eventually(t, func() bool {
		late := s.Call("alice", http.MethodPost, offers, offer(uuid.NewString()))
		return late.Status == http.StatusBadRequest && strings.Contains(late.Text, "expires_at")
	}, time.Minute, 100*time.Millisecond)
	second := sendKeyed(t, s, "alice", "in-time", offers, offer("in-time"))
	require.Equal(t, first.Status, second.Status, second.Text)
	require.Equal(t, first.Text, second.Text)
}

// The node neither repeats nor answers a change whose answer was lost and whose update is pruned.
func TestIdempotencyKey_RefusesRetryAfterPruning(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	dying := s.Twin(apitest.Options{Answers: forgetfulStore{s.DB}, HoldKeys: time.Nanosecond})
	sendKeyed(t, dying, "alice", "tap", tap, `{"amount":"7"}`).OK(nil)
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	_, err = dbtest.Prune(t.Context(), s.DB, head.Offset)
	require.NoError(t, err)
	for range 2 {
		again := sendKeyed(t, s, "alice", "tap", tap, `{"amount":"7"}`)
		require.Equal(t, http.StatusBadRequest, again.Status, again.Text)
		require.Contains(t, again.Text, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		require.Contains(t, again.Text, fmt.Sprintf("The change was made at offset %d", head.Offset))
	}
	require.Equal(t, "1400.0000000000", balance(t, s, "alice"), "it was made once")
}

// ask is a keeper with an endpoint that gives the answers in order and counts its calls.
type ask struct {
	keeper  *changes.Keeper
	answers []endpoint.Content
	calls   int
}

func (a *ask) send(t *testing.T, key string) endpoint.Content {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v0/x", nil)
	request.Header.Set(changes.KeyHeader, key)
	return a.keeper.Around(t.Context(), endpoint.Exchange{
		Info: endpoint.Info{Method: http.MethodPost, Path: "/v0/x"}, Request: request,
		Serve: func(context.Context) endpoint.Content {
			a.calls++
			return a.answers[min(a.calls, len(a.answers))-1]
		},
		Refuse: func(_ context.Context, err error) endpoint.Content {
			return endpoint.TextContent(http.StatusTeapot, err.Error())
		},
	})
}

func newKeeper(t *testing.T, record changes.KeyStore, keep time.Duration) *changes.Keeper {
	t.Helper()
	made, err := changes.NewKeeper(changes.Options{
		Record: record, Keep: keep, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return made
}

func TestKeeper_DropsTemporaryFailures(t *testing.T) {
	t.Parallel()
	for name, passing := range map[string]endpoint.Content{
		"failures":       {Status: http.StatusInternalServerError},
		"unavailable":    {Status: http.StatusServiceUnavailable},
		"too many":       {Status: http.StatusTooManyRequests},
		"lacking rights": {Status: http.StatusForbidden},
		"not decided": {
			Status: http.StatusBadRequest, Body: []byte(`{"error":"PARTICIPANT_PRUNED_DATA_ACCESSED: ..."}`),
		},
		"conflicts that pass": {
			Status: http.StatusConflict, Header: http.Header{"Retry-After": {"1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &ask{keeper: newKeeper(t, dbtest.New(t), 0), answers: []endpoint.Content{
				passing, {Status: http.StatusCreated, Type: "text/x", Body: []byte("done")},
			}}
			require.Equal(t, passing.Status, a.send(t, "k").Status)
			require.Equal(t, http.StatusCreated, a.send(t, "k").Status)
			again := a.send(t, "k")
			require.Equal(t, http.StatusCreated, again.Status)
			require.Equal(t, "done", string(again.Body))
			require.Equal(t, "text/x", again.Header.Get("Content-Type"))
			require.Equal(t, 2, a.calls)
		})
	}
}

func TestKeeper_ForgetsExpiredKeys(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	a := &ask{keeper: newKeeper(t, record, time.Microsecond), answers: []endpoint.Content{{Status: http.StatusOK}}}
	a.send(t, "k")
	a.send(t, "k")
	require.Equal(t, 2, a.calls, "the key is free again")
	long := &ask{keeper: newKeeper(t, record, 0), answers: a.answers}
	long.send(t, "long")
	forgotten, err := record.ForgetIdempotencyKeys(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, forgotten)
	long.send(t, "long")
	require.Equal(t, 1, long.calls)
}

func TestKeeper_RunForgetsExpiredKeys(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	a := &ask{keeper: newKeeper(t, record, time.Microsecond), answers: []endpoint.Content{{Status: http.StatusOK}}}
	a.send(t, "k")
	ctx, cancel := context.WithCancel(t.Context())
	told := &countingStore{KeyStore: record, forgotten: make(chan int64, 1)}
	var group sync.WaitGroup
	group.Go(func() { newKeeper(t, told, 0).Run(ctx) })
	require.EqualValues(t, 1, <-told.forgotten)
	cancel()
	group.Wait()
}

type countingStore struct {
	changes.KeyStore
	forgotten chan int64
}

func (c *countingStore) ForgetIdempotencyKeys(ctx context.Context) (int64, error) {
	forgotten, err := c.KeyStore.ForgetIdempotencyKeys(ctx)
	c.forgotten <- forgotten
	return forgotten, err
}
