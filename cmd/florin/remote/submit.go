package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// Submission has the flags of a file with commands, and of who submits them. Commands embed it.
type Submission struct {
	File  string   `arg:"" help:"JSON file with a request of POST /v2/commands/submit-and-wait; - for standard input."`
	ActAs []string `complete:"name" aliases:"as" help:"Acting users or parties, instead of actAs in the file; also --as."`
	User  string   `help:"User that submits. Default: the administrator."`
}

// Read reads the file.
func (f Submission) Read() (body map[string]any, err error) {
	content, err := os.ReadFile(f.File)
	if f.File == "-" {
		content, err = io.ReadAll(os.Stdin)
	}
	if err != nil {
		return nil, console.Fail(console.ExitUsage, "", "%w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	decoder.UseNumber() // amounts keep every digit
	if err := decoder.Decode(&body); err != nil || body == nil {
		return nil, console.Fail(console.ExitUsage,
			`write it as in {"commands":[{"CreateCommand":{…}}],"actAs":["alice::1220…"]}`,
			"%s is not a JSON object of commands", f.File)
	}
	return body, nil
}

// Complete sets the acting parties of the flags, and a command id if there is none. It returns a client of the user.
func (f Submission) Complete(ctx context.Context, s *Session, body map[string]any) (*client.Client, error) {
	var parties []string
	user := cmp.Or(f.User, s.admin)
	for _, name := range f.ActAs {
		found, err := s.find(ctx, name)
		if err != nil {
			return nil, err
		}
		parties = append(parties, found.Party)
		if f.User == "" && found.User != "" {
			user = found.User
		}
	}
	if len(parties) > 0 {
		body["actAs"] = parties
	}
	if id, _ := body["commandId"].(string); id == "" {
		body["commandId"] = uuid.NewString()
	}
	return s.as(user)
}

// SubmitCommand submits the commands of a file.
type SubmitCommand struct {
	Node
	console.Output
	Submission
}

// Run submits the commands and waits for the commit. If the file has no command id, Run makes one.
func (c *SubmitCommand) Run(ctx context.Context) error {
	body, err := c.Read()
	if err != nil {
		return err
	}
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		api, err := c.Complete(ctx, s, body)
		if err != nil {
			return err
		}
		var outcome client.Outcome
		if err := api.Post(ctx, "/v2/commands/submit-and-wait", body, &outcome); err != nil {
			return err
		}
		return c.Print(console.Answer{
			Data:  map[string]any{"update_id": outcome.UpdateID, "offset": outcome.CompletionOffset},
			Text:  fmt.Sprintf("committed at offset %d: %s", outcome.CompletionOffset, outcome.UpdateID),
			Names: []string{outcome.UpdateID},
		})
	})
}
