package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/client"
)

const (
	webhooksPath = "/wallet/webhooks"
	// shownAttempts is how many attempts of a webhook the page shows.
	shownAttempts = 50
)

type webhooksView struct {
	Hooks []client.Webhook
	// Kinds are the kinds of events that the form offers.
	Kinds []string
	// URL and Chosen are what the visitor typed.
	URL    string
	Chosen []string
	// Secret is a secret that was made just now, for the webhook with an id; "" for none.
	Secret, SecretOf string
	Problem          *problem
}

// webhooks lists the webhooks of the visitor.
func (s *site) webhooks(v *visit) error {
	data, err := s.webhooksOf(v)
	if err != nil {
		return err
	}
	return s.show(v, "webhooks", data)
}

func (s *site) webhooksOf(v *visit) (webhooksView, error) {
	hooks, err := v.api.Webhooks(v.ctx(), false)
	return webhooksView{Hooks: hooks, Kinds: []string{"completion", "update", "wallet"}}, err
}

// createWebhook subscribes to events of the visitor's party, and shows the secret once.
func (s *site) createWebhook(v *visit) error {
	to, kinds := v.field("url"), v.r.PostForm["kind"]
	var out struct {
		Webhook client.Webhook `json:"webhook"`
		Secret  string         `json:"secret"`
	}
	err := v.change("Create a webhook", http.MethodPost, client.WebhooksPath, map[string]any{
		"url": to, "kinds": append([]string{}, kinds...), "party": v.party,
	}, &out)
	if err != nil {
		return refused(s, v, "webhooks", err, func() (webhooksView, error) { return s.webhooksOf(v) },
			func(data *webhooksView, why *problem) { data.URL, data.Chosen, data.Problem = to, kinds, why })
	}
	return s.showSecret(v, out.Webhook.ID, out.Secret)
}

// showSecret shows a new secret in the answer itself, so that it is stored nowhere.
func (s *site) showSecret(v *visit, hook, secret string) error {
	data, err := s.webhooksOf(v)
	if err != nil {
		return err
	}
	data.Secret, data.SecretOf = secret, hook
	return s.show(v, "webhooks", data)
}

type webhookView struct {
	Hook     client.Webhook
	Attempts []client.WebhookAttempt
	// Before is the number before which older attempts begin; 0 on the last page.
	Before  int64
	Letters []client.DeadLetter
	Problem *problem
}

// webhook shows a webhook with its log and its dead letters.
func (s *site) webhook(v *visit) error {
	data, err := s.webhookOf(v)
	if err != nil {
		return err
	}
	return s.show(v, "webhook", data)
}

func (s *site) webhookOf(v *visit) (data webhookView, err error) {
	id := v.r.PathValue("id")
	if data.Hook, err = v.api.Webhook(v.ctx(), id); err != nil {
		return data, err
	}
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64) // no number is the newest page
	if data.Attempts, err = v.api.WebhookAttempts(v.ctx(), id, before, shownAttempts); err != nil {
		return data, err
	}
	if len(data.Attempts) == shownAttempts {
		data.Before = data.Attempts[shownAttempts-1].Number
	}
	data.Letters, err = v.api.DeadLetters(v.ctx(), id)
	return data, err
}

// changeWebhook does what a button of a webhook says.
func (s *site) changeWebhook(v *visit) error {
	id, act := v.r.PathValue("id"), v.r.PathValue("act")
	var out struct {
		Secret  string                `json:"secret"`
		Attempt client.WebhookAttempt `json:"attempt"`
	}
	method, path, notice := http.MethodPost, client.WebhookPath(id, act), ""
	var body any
	back := webhooksPath + "/" + id
	switch act {
	case "pause", "resume":
		method, path, body = http.MethodPatch, client.WebhookPath(id), map[string]any{"paused": act == "pause"}
		notice = map[string]string{
			"pause": "The webhook is paused. Its events wait.", "resume": "The webhook goes on where it stopped.",
		}[act]
	case "delete":
		method, path, notice, back = http.MethodDelete, client.WebhookPath(id), "The webhook is deleted.", webhooksPath
	case "resend":
		path = client.WebhookPath(id, "dead-letters", v.field("message"), "resend")
	case "test", "rotate":
	default:
		return s.pageNotFound(v)
	}
	err := v.change(strings.ToUpper(act[:1])+act[1:]+" the webhook", method, path, body, &out)
	if err != nil {
		return refused(s, v, "webhook", err, func() (webhookView, error) { return s.webhookOf(v) },
			func(data *webhookView, why *problem) { data.Problem = why })
	}
	if out.Secret != "" {
		return s.showSecret(v, id, out.Secret)
	}
	if out.Attempt.State != "" {
		notice = attemptWords(out.Attempt)
	}
	return s.done(v, back, notice)
}

// attemptWords says what became of an attempt.
func attemptWords(attempt client.WebhookAttempt) string {
	switch attempt.State {
	case "sent":
		return "The receiver accepted the message in " + strconv.FormatInt(attempt.Millis, 10) + " ms."
	case "failed":
		return "The receiver answered " + strconv.Itoa(attempt.Status) + ". " + client.Short(attempt.Error)
	default:
		return "The receiver did not answer. " + client.Short(attempt.Error)
	}
}

// Has reports whether the visitor chose a kind; all are chosen before a first try.
func (w webhooksView) Has(kind string) bool {
	return w.Problem == nil || slices.Contains(w.Chosen, kind)
}
