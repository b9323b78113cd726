package remote

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/devnet/runfile"
)

type slow struct{}

func (slow) Error() string { return "too long" }
func (slow) Timeout() bool { return true }

// The node may have made a change although no answer came: the hint makes it exactly once.
func TestExplain_TellsHowToRepeatAnUnansweredChange(t *testing.T) {
	t.Parallel()
	s := &Session{Info: runfile.Info{URL: "http://node"}}
	words := []string{"send", "alice", "it's bob", "5", "--id", "0-1"}
	const line = `send alice 'it'\''s bob' 5 --id 0-1`
	request := func(reason error) error { return &url.Error{Op: "Post", URL: "http://node", Err: reason} }
	refused := func(status int) error { return &client.Error{Status: status, Body: []byte("no")} }
	for name, test := range map[string]struct {
		err  error
		code console.ExitCode
		says bool
	}{
		"no answer in time":        {request(slow{}), console.ExitNoNode, true},
		"it closed the connection": {request(errors.New("unexpected EOF")), console.ExitNoNode, true},
		"interrupted":              {request(context.Canceled), console.ExitFailed, true},
		"no completion yet":        {refused(http.StatusServiceUnavailable), console.ExitNoNode, true},
		"no answer behind it":      {refused(http.StatusGatewayTimeout), console.ExitFailed, true},
		"it failed":                {refused(http.StatusInternalServerError), console.ExitFailed, true},
		"nobody has heard it":      {request(syscall.ECONNREFUSED), console.ExitNoNode, false},
		"it was refused":           {refused(http.StatusBadRequest), console.ExitFailed, false},
		"the token is refused":     {refused(http.StatusUnauthorized), console.ExitDenied, false},
	} {
		err := s.Explain(s.mayHaveHappened(test.err, words...))
		require.Equal(t, test.code, console.CodeOf(err), name)
		if test.says {
			require.ErrorContains(t, err, "it may have happened nevertheless", name)
			require.ErrorContains(t, err, "`florin "+line+"`", name)
		} else {
			require.NotContains(t, err.Error(), "--id", name)
		}
	}
}
