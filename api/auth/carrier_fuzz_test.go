package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
)

// FuzzTokenFrom_ReturnsPartOfAHeader reads tokens from any headers: the token is a part of one header, without blanks
// around it.
func FuzzTokenFrom_ReturnsPartOfAHeader(f *testing.F) {
	for _, seed := range [][2]string{
		{"Bearer abc", ""},
		{"bearer", "daml.ws.auth, jwt.token.abc"},
		{"Basic x", "jwt.token."},
		{" Bearer  a b ", ",,"},
		{"", "jwt.token.jwt.token.x,daml.ws.auth"},
		{"\x00", "\xff"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, authorization, protocols string) {
		token, err := auth.TokenFrom(http.Header{
			"Authorization": {authorization}, "Sec-Websocket-Protocol": {protocols},
		})
		if err != nil {
			require.ErrorIs(t, err, auth.ErrEmptyBearer)
			require.Empty(t, token)
			return
		}
		require.Equal(t, strings.TrimSpace(token), token)
		require.True(t, strings.Contains(authorization, token) || strings.Contains(protocols, token))
	})
}
