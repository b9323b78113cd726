package walletapi

import (
	"context"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/fault"
)

// OverviewResponse has several answers of a wallet at once.
type OverviewResponse struct {
	Status UserStatusResponse `json:"status" required:"true" doc:"As GET /v0/wallet/user-status"`

	LedgerTime *endpoint.Timestamp `json:"ledger_time" doc:"The time that deadlines follow"`

	Balance      *GetBalanceResponse                 `json:"balance" doc:"As GET /v0/wallet/balance"`
	Transactions *ListTransactionsResponse           `json:"transactions" doc:"The newest 50, as /v0/wallet/transactions"`
	Offers       *ListTransferOffersResponse         `json:"offers" doc:"As GET /v0/wallet/transfer-offers"`
	Transfers    *ListTokenStandardTransfersResponse `json:"transfers" doc:"As GET /v0/wallet/token-standard/transfers"`

	Holdings *instruments.ListTokenHoldingsResponse `json:"holdings" doc:"As GET /v0/wallet/token-standard/holdings"`

	PaymentRequests      *ListAppPaymentRequestsResponse   `json:"payment_requests" doc:"As /v0/wallet/app-payment-requests"`
	SubscriptionRequests *ListSubscriptionRequestsResponse `json:"subscription_requests" doc:"As /v0/wallet/subscription-requests"`
	Subscriptions        *ListSubscriptionsResponse        `json:"subscriptions" doc:"As GET /v0/wallet/subscriptions"`
	AllocationRequests   *ListAllocationRequestsResponse   `json:"allocation_requests" doc:"As the list of the token standard"`
	Allocations          *ListAllocationsResponse          `json:"allocations" doc:"As GET /v0/allocations"`

	Traffic *TrafficOverview `json:"traffic" doc:"The extra traffic of the node"`
}

// TrafficOverview is the extra traffic of the node, in bytes.
type TrafficOverview struct {
	Used  int64              `json:"used" required:"true" doc:"Used since the ledger began"`
	Limit int64              `json:"limit" required:"true" doc:"Granted since the ledger began"`
	Since endpoint.Timestamp `json:"since" required:"true" doc:"When the ledger began"`
}

// overviewItems is the number of items of the history in an overview.
const overviewItems = 50

type overviewRequest struct {
	Include []string `query:"include" doc:"Optional fields of the answer; repeat it for more"`
}

// overviewPart fills a field of the answer.
type overviewPart struct {
	name string
	read func(ctx context.Context, a *API, out *OverviewResponse) error
}

// readPart is the part of an endpoint without parameters.
func readPart[T any](
	name string, read func(*API, context.Context, endpoint.NoRequest) (T, error), field func(*OverviewResponse) **T,
) overviewPart {
	return overviewPart{name, func(ctx context.Context, a *API, out *OverviewResponse) error {
		found, err := read(a, ctx, endpoint.NoRequest{})
		*field(out) = &found
		return err
	}}
}

// overviewParts are the optional fields.
func overviewParts() []overviewPart {
	return []overviewPart{
		readPart("balance", (*API).balance, func(o *OverviewResponse) **GetBalanceResponse { return &o.Balance }),
		readPart("transactions", (*API).newestTransactions,
			func(o *OverviewResponse) **ListTransactionsResponse { return &o.Transactions }),
		readPart("offers", (*API).listTransferOffers,
			func(o *OverviewResponse) **ListTransferOffersResponse { return &o.Offers }),
		readPart("transfers", (*API).listTokenStandardTransfers,
			func(o *OverviewResponse) **ListTokenStandardTransfersResponse { return &o.Transfers }),
		readPart("holdings", (*API).listTokenHoldings,
			func(o *OverviewResponse) **instruments.ListTokenHoldingsResponse { return &o.Holdings }),
		readPart("payment_requests", (*API).listAppPaymentRequests,
			func(o *OverviewResponse) **ListAppPaymentRequestsResponse { return &o.PaymentRequests }),
		readPart("subscription_requests", (*API).listSubscriptionRequests,
			func(o *OverviewResponse) **ListSubscriptionRequestsResponse { return &o.SubscriptionRequests }),
		readPart("subscriptions", (*API).listSubscriptions,
			func(o *OverviewResponse) **ListSubscriptionsResponse { return &o.Subscriptions }),
		readPart("allocation_requests", (*API).listAllocationRequests,
			func(o *OverviewResponse) **ListAllocationRequestsResponse { return &o.AllocationRequests }),
		readPart("allocations", (*API).listAllocations,
			func(o *OverviewResponse) **ListAllocationsResponse { return &o.Allocations }),
		readPart("traffic", (*API).traffic, func(o *OverviewResponse) **TrafficOverview { return &o.Traffic }),
	}
}

// overview answers every caller with a token, also one without a wallet, who gets none of the optional fields.
func (a *API) overview(ctx context.Context, req overviewRequest) (out OverviewResponse, err error) {
	parts := overviewParts()
	var names []string
	for _, part := range parts {
		names = append(names, part.name)
	}
	for _, name := range req.Include {
		if !slices.Contains(names, name) {
			return out, fault.InvalidArgumentf("include %q is not a field of the overview", name).
				WithHint("Choose some of " + strings.Join(names, ", ") + ".")
		}
	}
	if out.Status, err = a.userStatus(ctx, endpoint.NoRequest{}); err != nil || !out.Status.UserWalletInstalled {
		return out, err
	}
	out.LedgerTime = new(endpoint.Timestamp(a.Now()))
	if ctx, err = a.OwnersOnly("getWalletOverview")(ctx); err != nil {
		return out, err
	}
	for _, part := range parts {
		if !slices.Contains(req.Include, part.name) {
			continue
		}
		if err := part.read(ctx, a, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (a *API) newestTransactions(ctx context.Context, _ endpoint.NoRequest) (ListTransactionsResponse, error) {
	return a.listTransactions(ctx, listTransactionsRequest{ListTransactionsRequest{PageSize: overviewItems}})
}

func (a *API) listTokenHoldings(
	ctx context.Context, none endpoint.NoRequest,
) (instruments.ListTokenHoldingsResponse, error) {
	return a.instruments.ListHoldings(ctx, none)
}

// traffic is the extra traffic since the coin's rules for external parties exist, the contract that never changes.
func (a *API) traffic(ctx context.Context, _ endpoint.NoRequest) (out TrafficOverview, err error) {
	head, err := a.record.Head(ctx)
	if err != nil {
		return out, err
	}
	rules, err := validator.Active[coin.ExternalPartyAmuletRules](ctx, a.Base, a.Node.DSO)
	if err != nil || len(rules) == 0 {
		return out, err
	}
	return TrafficOverview{
		Used: head.Traffic.Used(), Limit: head.Traffic.Limit(), Since: endpoint.Timestamp(rules[0].CreatedAt),
	}, nil
}
