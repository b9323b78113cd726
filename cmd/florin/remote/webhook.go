package remote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// WebhookCommand manages webhooks.
type WebhookCommand struct {
	Create WebhookCreateCommand `cmd:"" help:"Subscribe to events, and print the secret that signs the messages."`
	List   WebhookListCommand   `cmd:"" help:"List webhooks, with their state."`
	Show   WebhookShowCommand   `cmd:"" help:"Show a webhook and its dead letters."`
	Log    WebhookLogCommand    `cmd:"" help:"Show the attempts to send messages, the newest first."`
	Test   WebhookTestCommand   `cmd:"" help:"Send a test message, and show the receiver's answer."`
	Resend WebhookResendCommand `cmd:"" help:"Send dead letters again."`
	Pause  WebhookPauseCommand  `cmd:"" help:"Pause a webhook."`
	Resume WebhookResumeCommand `cmd:"" help:"Resume a webhook where it stopped."`
	Rotate WebhookRotateCommand `cmd:"" help:"Make a new secret; the one before signs beside it for 24 hours."`
	Delete WebhookDeleteCommand `cmd:"" help:"Delete a webhook, with its log and its dead letters."`
}

// alarmKind is the kind of events that belong to no party.
const alarmKind = "alarm"

// WebhookCreateCommand subscribes to events.
type WebhookCreateCommand struct {
	Node
	console.Output

	To    string   `arg:"" name:"receiver" help:"Address of the receiver, such as https://app.example/florin."`
	Name  string   `complete:"name" arg:"" optional:"" help:"User or party whose events you want; none for alarms."`
	Kinds []string `help:"Kinds of events: completion, update, wallet, or alarm." default:"completion,update,wallet"`
}

// Run subscribes.
func (c *WebhookCreateCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		api, party, err := c.owner(ctx, s)
		if err != nil {
			return err
		}
		hook, secret, err := api.CreateWebhook(ctx, c.To, c.Kinds, party)
		if err != nil {
			return err
		}
		return c.Print(console.Answer{
			Data: map[string]any{"webhook": hook, "secret": secret}, Names: []string{hook.ID},
			Text: fmt.Sprintf("webhook  %s\nsecret   %s\nThe receiver needs the secret; nothing shows it again. %s sends a "+
				"test message.", hook.ID, secret, c.Florin("webhook", "test", hook.ID)),
		})
	})
}

// owner is the user who subscribes, and the party; "" for alarms.
func (c *WebhookCreateCommand) owner(ctx context.Context, s *Session) (*client.Client, string, error) {
	if c.Name == "" {
		api, err := s.Admin()
		if err == nil && (len(c.Kinds) != 1 || c.Kinds[0] != alarmKind) {
			err = console.Fail(console.ExitUsage, "name the user or party whose events you want, or use --kinds "+alarmKind,
				"the events %s belong to a party", strings.Join(c.Kinds, ", "))
		}
		return api, "", err
	}
	owner, api, err := s.wallet(ctx, c.Name)
	return api, owner.Party, err
}

// WebhookListCommand lists webhooks.
type WebhookListCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" optional:"" help:"User or party; default: the webhooks of all users."`
}

// Run lists the webhooks.
func (c *WebhookListCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) (err error) {
		var api *client.Client
		if c.Name == "" {
			api, err = s.Admin()
		} else {
			_, api, err = s.wallet(ctx, c.Name)
		}
		if err != nil {
			return err
		}
		hooks, err := api.Webhooks(ctx, c.Name == "")
		if err != nil {
			return err
		}
		return c.Print(webhooksAnswer(hooks))
	})
}

func webhooksAnswer(hooks []client.Webhook) console.Answer {
	answer := console.Answer{
		Data:  map[string]any{"webhooks": append([]client.Webhook{}, hooks...)},
		Table: console.Table{Head: []string{"ID", "USER", "PARTY", "KINDS", "STATE", "URL"}},
	}
	for _, hook := range hooks {
		party := ""
		if hook.Party != "" {
			party = client.PartyName(hook.Party)
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{
			hook.ID, hook.UserID, party, strings.Join(hook.Kinds, ","), stateOf(hook), hook.URL,
		})
		answer.Names = append(answer.Names, hook.ID)
	}
	if len(hooks) == 0 {
		answer.Text = "no webhooks"
	}
	return answer
}

// stateOf is the state of a webhook in words.
func stateOf(hook client.Webhook) string {
	switch hook.State {
	case "paused":
		return "paused: " + hook.PausedReason
	case "failing":
		return fmt.Sprintf("failing since %s, %d tries", hook.FailingSince.Local().Format("2006-01-02 15:04:05"), hook.Tries)
	default:
		return hook.State
	}
}

// webhookCommand has the flags of the commands for one webhook.
type webhookCommand struct {
	Node
	console.Output

	ID string `arg:"" help:"Id of the webhook."`
}

// run calls a function with a client that may manage the webhook: of the token, or of the administrator.
func (c webhookCommand) run(ctx context.Context, call func(context.Context, *client.Client) (console.Answer, error)) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		api, err := s.Admin()
		if err != nil {
			return err
		}
		answer, err := call(ctx, api)
		if err != nil {
			return err
		}
		return c.Print(answer)
	})
}

// WebhookShowCommand shows a webhook.
type WebhookShowCommand struct{ webhookCommand }

// Run shows the webhook.
func (c *WebhookShowCommand) Run(ctx context.Context) error {
	return c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		hook, err := api.Webhook(ctx, c.ID)
		if err != nil {
			return console.Answer{}, err
		}
		newest, err := api.WebhookAttempts(ctx, c.ID, 0, 1)
		if err != nil {
			return console.Answer{}, err
		}
		letters, err := api.DeadLetters(ctx, c.ID)
		answer := console.Answer{
			Data: map[string]any{
				"webhook": hook, "last_attempts": append([]client.WebhookAttempt{}, newest...),
				"dead_letters": append([]client.DeadLetter{}, letters...),
			},
			Table: console.Table{Head: []string{"DEAD LETTER", "TYPE", "SINCE", "ERROR"}}, Names: []string{hook.ID},
			Text: fmt.Sprintf("url      %s\nuser     %s\nparty    %s\nkinds    %s\nstate    %s\nnext     offset %d",
				hook.URL, hook.UserID, hook.Party, strings.Join(hook.Kinds, ", "), stateOf(hook), hook.NextOffset),
		}
		for _, last := range newest {
			answer.Text += fmt.Sprintf("\nlast     %s %s: %s", last.StartedAt.Local().Format(time.DateTime), last.State,
				client.Short(resultOf(last)))
		}
		for _, letter := range letters {
			answer.Table.Rows = append(answer.Table.Rows, []string{
				letter.MessageID, letter.Type, letter.DiedAt.Local().Format("2006-01-02 15:04:05"), letter.Error,
			})
		}
		return answer, err
	})
}

// WebhookPauseCommand pauses a webhook.
type WebhookPauseCommand struct{ webhookCommand }

// Run pauses the webhook.
func (c *WebhookPauseCommand) Run(ctx context.Context) error { return c.pause(ctx, true) }

// WebhookResumeCommand resumes a webhook.
type WebhookResumeCommand struct{ webhookCommand }

// Run resumes the webhook.
func (c *WebhookResumeCommand) Run(ctx context.Context) error { return c.pause(ctx, false) }

func (c webhookCommand) pause(ctx context.Context, paused bool) error {
	return c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		hook, err := api.PauseWebhook(ctx, c.ID, paused)
		return webhooksAnswer([]client.Webhook{hook}), err
	})
}

// WebhookRotateCommand makes a new secret.
type WebhookRotateCommand struct{ webhookCommand }

// Run makes the secret.
func (c *WebhookRotateCommand) Run(ctx context.Context) error {
	return c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		hook, secret, err := api.RotateWebhook(ctx, c.ID)
		return console.Answer{
			Data: map[string]any{"webhook": hook, "secret": secret}, Names: []string{secret},
			Text: fmt.Sprintf("secret   %s\nThe one before signs messages too until %s.", secret,
				hook.OldSecretUntil.Local().Format("2006-01-02 15:04:05")),
		}, err
	})
}

// WebhookDeleteCommand deletes a webhook.
type WebhookDeleteCommand struct{ webhookCommand }

// Run deletes the webhook.
func (c *WebhookDeleteCommand) Run(ctx context.Context) error {
	return c.run(ctx, func(ctx context.Context, api *client.Client) (console.Answer, error) {
		return console.Answer{
			Data: map[string]any{"deleted": c.ID}, Names: []string{c.ID}, Text: "deleted the webhook " + c.ID,
		}, api.DeleteWebhook(ctx, c.ID)
	})
}
