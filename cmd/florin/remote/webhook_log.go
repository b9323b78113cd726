package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// explainedAttempts is how many attempts [Node.ExplainWebhook] searches for the last failure.
const explainedAttempts = 100

// WebhookLogCommand shows the attempts of a webhook.
type WebhookLogCommand struct {
	webhookCommand

	Limit  int   `help:"Maximum number of attempts, 1 to 1000." default:"20"`
	Before int64 `help:"Show attempts before the one with this number, which --json shows."`
}

// Run shows the attempts.
func (c *WebhookLogCommand) Run(ctx context.Context) error {
	return c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		attempts, err := api.WebhookAttempts(ctx, c.ID, c.Before, c.Limit)
		answer := attemptsAnswer(attempts)
		if len(attempts) == 0 {
			answer.Text = "nothing was sent yet"
		}
		return answer, err
	})
}

func attemptsAnswer(attempts []client.WebhookAttempt) console.Answer {
	answer := console.Answer{
		Data:  map[string]any{"attempts": append([]client.WebhookAttempt{}, attempts...)},
		Table: console.Table{Head: []string{"TIME", "STATE", "STATUS", "MS", "TYPE", "MESSAGE", "ERROR"}},
	}
	for _, one := range attempts {
		status := ""
		if one.Status != 0 {
			status = strconv.Itoa(one.Status)
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{
			one.StartedAt.Local().Format(time.DateTime), one.State, status, strconv.FormatInt(one.Millis, 10), one.Type, one.MessageID,
			client.Short(one.Error),
		})
		answer.Names = append(answer.Names, one.MessageID)
	}
	return answer
}

// WebhookTestCommand sends a test message.
type WebhookTestCommand struct{ webhookCommand }

// Run sends the message. The exit code is 1 if the receiver does not accept it.
func (c *WebhookTestCommand) Run(ctx context.Context) error {
	var attempt client.WebhookAttempt
	err := c.run(ctx, func(ctx context.Context, api *client.Client) (_ console.Answer, err error) {
		attempt, err = api.TestWebhook(ctx, c.ID)
		return attemptsAnswer([]client.WebhookAttempt{attempt}), err
	})
	return errors.Join(err, c.notAccepted(attempt))
}

// notAccepted is the error of an attempt that the receiver did not accept.
func (c webhookCommand) notAccepted(attempt client.WebhookAttempt) error {
	if attempt.State == "" || attempt.State == "sent" {
		return nil
	}
	return console.Fail(console.ExitFailed, c.Florin("webhook", "log", c.ID)+" shows all attempts",
		"the receiver did not accept %s: %s", attempt.MessageID, resultOf(attempt))
}

// resultOf is the result of an attempt in words.
func resultOf(attempt client.WebhookAttempt) string {
	if attempt.Status == 0 {
		return attempt.Error
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", attempt.Status, http.StatusText(attempt.Status), attempt.Error))
}

// hasFailed reports whether an attempt has ended without success.
func hasFailed(attempt client.WebhookAttempt) bool {
	isOpen := attempt.State == "unknown" && attempt.Millis == 0
	return attempt.State != "sent" && attempt.State != "skipped" && !isOpen
}

// webhookID is the id of a webhook in a text.
var webhookID = regexp.MustCompile(`\bwh_[a-z0-9]+`)

// ExplainWebhook says what only an administrator may know of the webhook that a warning of /readyz names: its owner, the
// host of its receiver, and the last failure.
func (n Node) ExplainWebhook(ctx context.Context, warning string) (text string) {
	err := n.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		hook, err := admin.Webhook(ctx, webhookID.FindString(warning))
		if err != nil {
			return err
		}
		host := hook.URL
		if receiver, err := url.Parse(hook.URL); err == nil {
			host = receiver.Host
		}
		text = fmt.Sprintf("It belongs to the user %s and posts to %s", hook.UserID, host)
		attempts, err := admin.WebhookAttempts(ctx, hook.ID, 0, explainedAttempts)
		if i := slices.IndexFunc(attempts, hasFailed); i >= 0 {
			text += "; its last failure: " + resultOf(attempts[i])
		}
		return err
	})
	if err != nil {
		return "An administrator's token shows its owner and its receiver (" + err.Error() + ")"
	}
	return text
}

// WebhookResendCommand sends dead letters again.
type WebhookResendCommand struct {
	webhookCommand

	Messages []string `arg:"" optional:"" name:"message" help:"Ids of the messages."`
	All      bool     `help:"All dead letters, the oldest first."`
}

// Run sends the messages, until the receiver does not accept one.
func (c *WebhookResendCommand) Run(ctx context.Context) error {
	if c.All == (len(c.Messages) > 0) {
		return console.Fail(console.ExitUsage, "", "give the ids of the messages, or --all")
	}
	var attempts []client.WebhookAttempt
	var last client.WebhookAttempt
	err := c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		messages := c.Messages
		if c.All {
			letters, err := api.DeadLetters(ctx, c.ID)
			if err != nil {
				return console.Answer{}, err
			}
			for _, letter := range letters {
				messages = append(messages, letter.MessageID)
			}
		}
		for _, message := range messages {
			attempt, err := api.ResendDeadLetter(ctx, c.ID, message)
			if err != nil {
				return console.Answer{}, err
			}
			attempts, last = append(attempts, attempt), attempt
			if c.notAccepted(attempt) != nil {
				break
			}
		}
		answer := attemptsAnswer(attempts)
		if len(attempts) == 0 {
			answer.Text = "no dead letters"
		}
		return answer, nil
	})
	return errors.Join(err, c.notAccepted(last))
}
