package walletapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
)

// ListAnsEntriesResponse has the caller's names.
type ListAnsEntriesResponse struct {
	Entries []OwnAnsEntry `json:"entries" required:"true" doc:"Always empty: this network has no name service"`
}

// OwnAnsEntry is a name of the caller. All fields are strings (upstream).
type OwnAnsEntry struct {
	ContractID      string `json:"contractId" required:"true" doc:"The contract"`
	Name            string `json:"name" required:"true" doc:"The name"`
	Amount          string `json:"amount" required:"true" doc:"Price of the name"`
	Unit            string `json:"unit" required:"true" doc:"Unit of the amount"`
	ExpiresAt       string `json:"expiresAt" required:"true" doc:"Expiry time; milliseconds since 1970"`
	PaymentInterval string `json:"paymentInterval" required:"true" doc:"Time between payments; microseconds"`
	PaymentDuration string `json:"paymentDuration" required:"true" doc:"Time for a payment; microseconds"`
}

// CreateAnsEntryRequest requests a name.
type CreateAnsEntryRequest struct {
	endpoint.Strict

	Name        string `json:"name" required:"true" doc:"The name"`
	URL         string `json:"url" required:"true" doc:"Web page of the name"`
	Description string `json:"description" required:"true" doc:"Description"`
}

// CreateAnsEntryResponse is the request for a name, which the caller has to pay.
type CreateAnsEntryResponse struct {
	EntryContextCID        string `json:"entryContextCid" required:"true" doc:"The request"`
	SubscriptionRequestCID string `json:"subscriptionRequestCid" required:"true" doc:"The request to accept in order to pay"`
	Name                   string `json:"name" required:"true" doc:"The name"`
	URL                    string `json:"url" required:"true" doc:"Web page of the name"`
	Description            string `json:"description" required:"true" doc:"Description"`
}

type createAnsEntryRequest struct {
	Body CreateAnsEntryRequest `body:"json"`
}

// Names lists the endpoints of the name service, which this network does not have: lists are empty, so that pages which
// show names work, and a request for a name returns the reason.
func (a *API) Names() []endpoint.Endpoint {
	g := group{api: a, tag: "Names"}
	return []endpoint.Endpoint{
		endpoint.New(g.get("/v0/entry/all", "listOwnAnsEntries", "List the caller's names."), a.listAnsEntries),
		endpoint.New(g.read("/v0/entry/create", "createAnsEntry", "Request a name. Always fails: there is no name service."),
			a.createAnsEntry),
	}
}

func (a *API) listAnsEntries(ctx context.Context, _ endpoint.NoRequest) (ListAnsEntriesResponse, error) {
	_, err := a.Caller(ctx, "listAnsEntries")
	return ListAnsEntriesResponse{}, err
}

func (a *API) createAnsEntry(ctx context.Context, _ createAnsEntryRequest) (none CreateAnsEntryResponse, err error) {
	if _, err = a.Caller(ctx, "createAnsEntry"); err != nil {
		return none, err
	}
	return none, v0.NotFound("No AnsRules found: this network has no name service. Use party ids.")
}
