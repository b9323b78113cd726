package walletapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
)

// Traffic lists the endpoints to buy traffic and to export the history, for any token.
func (a *API) Traffic() []endpoint.Endpoint {
	const path = "/v0/wallet/buy-traffic-requests"
	return []endpoint.Endpoint{
		validator.Endpoint(a.Base, endpoint.Info{
			Method: http.MethodPost, Path: path, OperationID: "createBuyTrafficRequest", Tag: tagWallet,
			Access: endpoint.Public, Summary: "Request that the caller's wallet buy traffic.",
			Authorize: a.OwnersOnly("createBuyTrafficRequest"),
			Description: "The answer comes when the request is on the ledger. The wallet buys the traffic in the " +
				"background: read the request's status.",
		}, a.createBuyTrafficRequest),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: path + "/{tracking_id}/status", OperationID: "getBuyTrafficRequestStatus",
			Tag: tagWallet, Access: endpoint.Public, Reads: true, Summary: "Get the status of a request to buy traffic.",
		}, a.getBuyTrafficRequestStatus),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/wallet/transactions", OperationID: "exportTransactions", Tag: tagWallet,
			Bodies: []endpoint.Body{endpoint.JSONBody(ListTransactionsResponse{}), {Type: csvType}},
			Access: endpoint.Public, Long: true, Summary: "Get the history of the caller's wallet, also as CSV.",
			Description: "With Accept: text/csv the whole history as a table, newest first. Otherwise one page of the JSON " +
				"that POST /v0/wallet/transactions returns.",
		}, a.exportTransactions),
	}
}
