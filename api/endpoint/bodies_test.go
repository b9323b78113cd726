package endpoint_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
)

func TestBodies_LimitMemoryPerUser(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{BodyMemory: 300 << 10, UserBodyMemory: 100 << 10})
	long := func() io.Reader { return strings.NewReader(`{"text":"` + strings.Repeat("x", 150<<10) + `"}`) }
	reader, writer := io.Pipe()
	first := make(chan int, 1)
	go func() { first <- l.ask(http.MethodPost, "/body", "greedy", reader).Code }()
	_, err := io.Copy(writer, long())
	require.NoError(t, err)
	_, err = writer.Write(nil) // returns when the server has counted its bytes and reads on
	require.NoError(t, err)
	l.tooMany(l.ask(http.MethodPost, "/body", "greedy", long()))
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "modest", long()).Code)
	require.NoError(t, writer.Close())
	require.Equal(t, http.StatusOK, <-first)
	require.Equal(t, http.StatusOK, l.ask(http.MethodPost, "/body", "greedy", long()).Code, "the bytes are free again")
}

func TestBodies_CheckRightsBeforeDecodingLongBodies(t *testing.T) {
	t.Parallel()
	l := serveLimited(t, admission.Options{})
	malformed := "{" + strings.Repeat("x", 64<<10)
	ask := func(user string) int {
		return l.ask(http.MethodPost, "/admins-only", user, strings.NewReader(malformed)).Code
	}
	require.Equal(t, http.StatusForbidden, ask("alice"), "before anybody knows that the body is malformed")
	require.Equal(t, http.StatusBadRequest, ask("admin"))
}
