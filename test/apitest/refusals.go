package apitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// NotAllowed requires 401 without a token and 403 for the user nobody, who has no rights, both without details.
func (s *Server) NotAllowed(method, path string, body any) {
	s.tb.Helper()
	unauthenticated := s.Call("", method, path, body).Refused(http.StatusUnauthorized, "NA")
	require.Equal(s.tb, "A security-sensitive error has been received", unauthenticated.Cause)
	require.Equal(s.tb, int32(16), *unauthenticated.GRPCCodeValue)
	require.Equal(s.tb, int32(-1), unauthenticated.ErrorCategory)
	require.Empty(s.tb, unauthenticated.Context)

	denied := s.Call("nobody", method, path, body).Refused(http.StatusForbidden, "NA")
	require.Equal(s.tb, int32(7), *denied.GRPCCodeValue)
	require.Empty(s.tb, denied.Context)
	require.Empty(s.tb, denied.Resources)

	unknown := s.Call("unknown-user", method, path, body).Refused(http.StatusForbidden, "NA")
	require.Equal(s.tb, map[string]string{"ledger_api_error": "invalid token"}, unknown.Context)
}

// Bearer is the header of a token.
func Bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// PageToken is a page token in the form of upstream, without the name of the list.
func PageToken(last string) string {
	return base64.URLEncoding.EncodeToString(append([]byte{0x0a, byte(len(last))}, last...))
}

// PartyUpdate is the body of a PATCH of a party that changes the fields of the paths.
func PartyUpdate(party ledger.Party, fields string, paths ...string) string {
	if fields != "" {
		fields = "," + fields
	}
	mask, _ := json.Marshal(append([]string{}, paths...))
	return fmt.Sprintf(`{"partyDetails":{"party":%q%s},"updateMask":{"paths":%s}}`, party, fields, mask)
}
