package endpoint_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/endpoint"
)

// holdingsPage is a page of contracts. The parts that differ between contracts do not compress.
func holdingsPage(contracts int) []byte {
	var page strings.Builder
	page.WriteString("[")
	for i := range contracts {
		id, node := sha256.Sum256(fmt.Append(nil, i)), sha256.Sum256(nil)
		fmt.Fprintf(&page, `{"createdEvent":{"offset":%d,"nodeId":%d,"contractId":"00%x","templateId":`+
			`"splice-amulet:Splice.Amulet:Amulet","createArgument":{"dso":"DSO::1220%[4]x","owner":"p%[5]d::1220%[4]x",`+
			`"amount":{"initialAmount":"%[1]d.0000000000","createdAt":{"number":"0"},`+
			`"ratePerRound":{"rate":"0.0000190259"}}}}},`,
			i, i%3, id, node, i%20)
	}
	page.WriteString("{}]")
	return []byte(page.String())
}

// BenchmarkCompress_PagesOfContracts serves pages of contracts with and without compression, without the network.
func BenchmarkCompress_PagesOfContracts(b *testing.B) {
	for _, contracts := range []int{10, 200, 5000} {
		page := holdingsPage(contracts)
		for _, accepts := range []string{"identity", "gzip"} {
			b.Run(fmt.Sprintf("%d contracts/%s", contracts, accepts), func(b *testing.B) {
				handler := pages(b, func() []byte { return page })
				request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/page", nil)
				request.Header.Set("Accept-Encoding", accepts)
				b.SetBytes(int64(len(page)))
				sent := 0
				for b.Loop() {
					recorder := httptest.NewRecorder()
					handler.ServeHTTP(recorder, request)
					sent = recorder.Body.Len()
				}
				b.ReportMetric(float64(sent), "sent-bytes")
			})
		}
	}
}

// pages serves a page at /page.
func pages(tb testing.TB, page func() []byte) http.Handler {
	tb.Helper()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(tb, err)
	router := chi.NewRouter()
	router.Use(server.Observe)
	require.NoError(tb, server.Mount(router, []endpoint.Endpoint{endpoint.New(info(http.MethodGet, "/page", endpoint.Open),
		func(context.Context, endpoint.NoRequest) (endpoint.Content, error) {
			return endpoint.Content{Type: "application/json", Body: page()}, nil
		})}))
	return router
}
