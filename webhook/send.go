package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinledger/florin/db"
)

const (
	// sendTimeout bounds one attempt by default.
	sendTimeout = 15 * time.Second
	// maxAnswerBytes is how much of an answer is read.
	maxAnswerBytes = 4 << 10
	// maxAnswerHeader bounds the header of an answer.
	maxAnswerHeader = 16 << 10
	// shownAnswerBytes is how much of the answer of a failed attempt the log keeps.
	shownAnswerBytes = 200
	idleConnTimeout  = 30 * time.Second
)

// message is an event as it is sent.
type message struct {
	id, kind string
	body     []byte
}

func newClient(d *dialer) *http.Client {
	return &http.Client{
		// A receiver that moves says so to its owner; the node follows nobody.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: d.dial, MaxIdleConnsPerHost: 1, MaxIdleConns: Deliveries, IdleConnTimeout: idleConnTimeout,
			TLSHandshakeTimeout: dialTimeout, MaxResponseHeaderBytes: maxAnswerHeader, ForceAttemptHTTP2: true,
			DisableCompression: true, // a short answer may unpack to megabytes
		},
	}
}

// post sends a message once, and fills the result of the attempt.
func (s *Sender) post(ctx context.Context, hook db.Webhook, m message, attempt *db.WebhookAttempt) {
	began := s.options.Now()
	defer func() { attempt.Took = s.options.Now().Sub(began) }()
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	answer, err := s.request(traced, hook, m)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok { // it has the whole URL, which may have a secret
			err = failed.Err
		}
		attempt.State, attempt.Error = db.AttemptUnreachable, err.Error()
		if connected.Load() {
			attempt.State = db.AttemptUnknown
		}
		if errors.Is(err, context.DeadlineExceeded) {
			attempt.Error = fmt.Sprintf("no answer within %s", s.options.Timeout)
		}
		return
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes)) // the status is what counts
	attempt.Status, attempt.State, attempt.Error = int32(answer.StatusCode), db.AttemptSent, ""
	switch answer.StatusCode / 100 {
	case 2:
	case 3:
		attempt.State = db.AttemptFailed
		attempt.Error = "the receiver redirects, which the node does not follow: change the URL of the webhook"
	default:
		attempt.State, attempt.Error = db.AttemptFailed, excerpt(text)
	}
}

func (s *Sender) request(ctx context.Context, hook db.Webhook, m message) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(m.body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // so that the client itself never sends a request twice
	now := s.options.Now()
	signatures, err := signaturesOf(hook, m, now)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Florin-Webhooks")
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signatures)
	return s.client.Do(request)
}

// signaturesOf signs a message with the secret, and with the old one while it counts.
func signaturesOf(hook db.Webhook, m message, now time.Time) (string, error) {
	secrets := [][]byte{hook.Secret}
	if len(hook.OldSecret) > 0 && now.Before(hook.OldSecretUntil) {
		secrets = append(secrets, hook.OldSecret)
	}
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signer, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return "", err
		}
		if signatures[i], err = signer.Sign(m.id, now, m.body); err != nil {
			return "", err
		}
	}
	return strings.Join(signatures, " "), nil
}

// excerpt is the beginning of an answer, for the log.
func excerpt(text []byte) string {
	text = text[:min(len(text), shownAnswerBytes)]
	printable := strings.Map(func(char rune) rune {
		if char < ' ' || char == 0x7f {
			return ' '
		}
		return char
	}, strings.ToValidUTF8(string(text), ""))
	return strings.TrimSpace(printable)
}
