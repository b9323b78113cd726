package api_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/test/apitest"
)

// The endpoints without a read turn are exactly those that change something and those that report health. Mark a new
// endpoint that only reads (Reads), or add it to the list if it changes something.
func TestRouter_EveryReadTakesATurn(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/changes.txt")
	require.NoError(t, err)
	router, ok := apitest.NewWithCoin(t, apitest.Options{}).Handler.(chi.Routes)
	require.True(t, ok)
	var without []string
	err = chi.Walk(router, func(
		method, pattern string, handler http.Handler, _ ...func(http.Handler) http.Handler,
	) error {
		if !endpoint.TakesTurns(handler) && !endpoint.IsStream(handler) {
			without = append(without, method+" "+pattern)
		}
		return nil
	})
	require.NoError(t, err)
	slices.Sort(without)
	require.Equal(t, strings.Split(strings.TrimSpace(string(content)), "\n"), without)
}
