package walletapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags that group operations in the document.
const tagWallet = "Wallet"

// Wallet lists what the users of wallets call, with any token: who has a wallet is found out by each endpoint.
func (a *API) Wallet() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/wallet/balance", OperationID: "getBalance", Tag: tagWallet,
			Access: endpoint.Public, Summary: "Get what the caller's wallet holds.",
		}, a.balance),
	}
}
