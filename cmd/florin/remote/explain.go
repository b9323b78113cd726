package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// Explain adds a hint and an exit code to the error of a call. It does not change other errors.
func (s *Session) Explain(err error) error {
	if err == nil {
		return nil
	}
	if _, explained := errors.AsType[*console.Error](err); explained {
		return err
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return s.explainRefusal(refused)
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return s.explainNoAnswer(broken)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return console.Fail(console.ExitNoNode, "name the API of a node with --url",
			"the program at %s does not answer like a node", s.Info.URL)
	}
	return err
}

func (s *Session) explainNoAnswer(broken *url.Error) error {
	if errors.Is(broken, context.Canceled) {
		return errors.New("interrupted")
	}
	start := "up"
	if s.Info.Stopped {
		start = "start"
	}
	hint := "start it with " + OnData(s.node.DataDir, start) + ", or choose another node with --url; " +
		s.node.Florin("doctor") + " checks for problems"
	reason := broken.Err
	switch {
	case errors.Is(reason, syscall.ECONNREFUSED):
		reason = syscall.ECONNREFUSED
	case errors.Is(reason, io.EOF):
		reason = errors.New("it closed the connection")
	case broken.Timeout():
		reason = errors.New("no answer in time")
	}
	return console.Fail(console.ExitNoNode, hint, "no node answers at %s: %w", s.Info.URL, reason)
}

// mayHaveHappened explains an error that leaves it open whether the node made a change. The hint is a command that
// makes it exactly once.
func (s *Session) mayHaveHappened(err error, again ...string) error {
	if errors.Is(err, syscall.ECONNREFUSED) { // the node did not get it
		return err
	}
	hint := "it may have happened nevertheless; this command makes it happen exactly once: " + s.node.Florin(again...)
	explained := s.Explain(err)
	failed, ok := errors.AsType[*console.Error](explained)
	refused, answered := errors.AsType[*client.Error](err)
	switch {
	case ok && (failed.Code == console.ExitNoNode || answered && refused.Status >= http.StatusInternalServerError):
		return console.Fail(failed.Code, hint, "%w", failed.Err)
	case errors.Is(err, context.Canceled):
		return console.Fail(console.ExitFailed, hint, "%w", explained)
	}
	return err
}

// explainRefusal shows a refusal of any API family with its hint.
func (s *Session) explainRefusal(refused *client.Error) error {
	text, hint := words(refused)
	switch refused.Status {
	case http.StatusUnauthorized:
		if s.token != "" {
			hint = "give a valid token with --token or --token-file: this one may have expired, or come from another issuer"
		} else {
			hint = "give a token of the node's issuer with --token or FLORIN_TOKEN, or the node's secret with --auth-secret"
		}
		return console.Fail(console.ExitDenied, hint, "the node refuses the token: %s", text)
	case http.StatusForbidden:
		if hint == "" || refused.Code == "NA" {
			hint = "ask an administrator of the node for the right, or give another user's token with --token"
		}
		return console.Fail(console.ExitDenied, hint, "the token's user may not do that: %s", text)
	case http.StatusServiceUnavailable:
		return console.Fail(console.ExitNoNode, hint, "%s is not ready: %s", s, text)
	case http.StatusNotFound:
		if strings.Contains(text, "requested resource could not be found") {
			return console.Fail(console.ExitFailed, s.node.Florin("status")+
				" shows its version; use the florin that started the node, and give the address of an API with --url",
				"%s has another version, or is only a worker: it does not know this request", s)
		}
	}
	return console.Fail(console.ExitFailed, hint, "%s", text)
}

// words are the text and the hint of a refusal of any API family.
func words(refused *client.Error) (text, hint string) {
	var body struct {
		Cause string `json:"cause"`
		Hint  string `json:"hint"`
		Error string `json:"error"`
	}
	if json.Unmarshal(refused.Body, &body) != nil || body.Cause == "" && body.Error == "" {
		body.Cause = strings.TrimSpace(string(refused.Body))
	}
	text = body.Cause + body.Error
	if text == "" {
		text = http.StatusText(refused.Status)
	}
	return console.Plain(text), console.Plain(body.Hint)
}
