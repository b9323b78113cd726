package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/florinledger/florin/client"
)

// overviewAPI answers several reads of a wallet at once.
const overviewAPI = "/v0/wallet/overview"

// overviewPaths are the reads that a field of the overview answers.
var overviewPaths = map[string]string{
	"balance": "/v0/wallet/balance", "transactions": "/v0/wallet/transactions?page_size=50",
	"offers": offersPath, "transfers": transfersPath, "holdings": "/v0/wallet/token-standard/holdings",
	"payment_requests": paymentRequestsPath, "subscription_requests": subscriptionRequestsPath,
	"subscriptions": "/v0/wallet/subscriptions", "allocation_requests": client.AllocationRequestsPath, "allocations": client.AllocationsPath,
}

// fieldsOf are the fields of the overview that the view of a request needs.
func fieldsOf(r *http.Request) []string {
	if r.Method != http.MethodGet {
		return nil
	}
	switch r.URL.Path {
	case "/wallet":
		return []string{"balance", "transactions", "offers", "transfers", "holdings"}
	case "/wallet/send":
		return []string{"balance", "transactions"}
	case "/wallet/inbox", "/wallet/waiting":
		return []string{"offers", "transfers"}
	case "/wallet/history":
		if r.URL.Query().Get("after") != "" {
			return []string{"offers", "transfers"}
		}
	case "/wallet/payments":
		return []string{"payment_requests", "subscription_requests", "subscriptions"}
	case "/wallet/allocations":
		return []string{"allocation_requests", "allocations", "holdings"}
	case "/wallet/traffic", "/wallet/send/preview":
		return []string{"traffic"}
	}
	return nil
}

// identify asks the node for the party of the user's wallet, and in the same call for what the view reads.
func (s *site) identify(v *visit) error {
	out, err := v.overview(fieldsOf(v.r)...)
	if errors.Is(err, errLongAnswer) { // the parts may be short enough
		out, err = v.overview()
	}
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	for field, path := range overviewPaths {
		if answer, ok := out[field]; ok && string(answer) != "null" {
			known[path] = answer
		}
	}
	v.api = s.api.Over(apiTransport{api: knownAnswers{s.API, known}}).With(v.session.Token)
	return nil
}

// overview reads fields of the overview of the visitor's wallet, and keeps its party, its time and its traffic.
func (v *visit) overview(fields ...string) (out map[string]json.RawMessage, err error) {
	address := overviewAPI
	if len(fields) > 0 {
		address += "?" + url.Values{"include": fields}.Encode()
	}
	if err := v.api.Get(v.ctx(), address, &out); err != nil {
		return nil, err
	}
	var status struct {
		Party string `json:"party_id"`
	}
	for field, into := range map[string]any{"status": &status, "ledger_time": &v.now, "traffic": &v.traffic} {
		if answer, ok := out[field]; ok {
			if err := json.Unmarshal(answer, into); err != nil {
				return nil, err
			}
		}
	}
	v.party = status.Party
	return out, nil
}

// usedTraffic is the extra traffic of the node since the ledger began.
type usedTraffic struct {
	Used  int64     `json:"used"`
	Limit int64     `json:"limit"`
	Since time.Time `json:"since"`
}

// knownAnswers is an API that answers reads which a visit has already made.
type knownAnswers struct {
	api     http.Handler
	answers map[string]json.RawMessage
}

// ServeHTTP implements [http.Handler].
func (k knownAnswers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, isKnown := k.answers[r.RequestURI]
	if r.Method != http.MethodGet || !isKnown {
		k.api.ServeHTTP(w, r)
		return
	}
	_, _ = w.Write(answer)
}
