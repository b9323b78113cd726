package registryapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// GetRegistryInfoResponse has the administrator of the registry's instruments.
type GetRegistryInfoResponse struct {
	AdminID       ledger.Party     `json:"adminId" required:"true" doc:"The party that administers the instruments"`
	SupportedAPIs map[string]int32 `json:"supportedApis" required:"true" doc:"Minor versions by name of the API"`
}

// Instrument is a token of the registry.
type Instrument struct {
	ID              string              `json:"id" required:"true" doc:"Its id, unique for the administrator"`
	Name            string              `json:"name" required:"true" doc:"Display name"`
	Symbol          string              `json:"symbol" required:"true" doc:"Short display name"`
	TotalSupply     *decimal.Decimal    `json:"totalSupply" doc:"All coin that parties hold, locked or not"`
	TotalSupplyAsOf *endpoint.Timestamp `json:"totalSupplyAsOf" doc:"Time of the total supply"`
	Decimals        int32               `json:"decimals" required:"true" doc:"Digits after the point"`
	SupportedAPIs   map[string]int32    `json:"supportedApis" required:"true" doc:"Minor versions by name of the API"`
}

// ListInstrumentsResponse is a page of the registry's instruments.
type ListInstrumentsResponse struct {
	Instruments   []Instrument `json:"instruments" required:"true" doc:"One instrument: the coin"`
	NextPageToken *string      `json:"nextPageToken" doc:"Null on the last page"`
}

type listInstrumentsRequest struct {
	PageSize  *int32 `query:"pageSize" doc:"Maximum number of instruments"`
	PageToken string `query:"pageToken" doc:"nextPageToken of the previous page"`
}

type getInstrumentRequest struct {
	ID string `path:"instrumentId" doc:"The id of the instrument"`
}

func (a *API) registryInfo(context.Context, endpoint.NoRequest) (GetRegistryInfoResponse, error) {
	return GetRegistryInfoResponse{
		AdminID: a.node.DSO, SupportedAPIs: map[string]int32{"splice-api-token-metadata-v1": 1},
	}, nil
}

func (a *API) instruments(ctx context.Context, req listInstrumentsRequest) (ListInstrumentsResponse, error) {
	switch {
	case req.PageSize != nil && *req.PageSize < 1:
		return ListInstrumentsResponse{}, v0.BadRequest("pageSize is %d: it must be at least 1", *req.PageSize)
	case req.PageToken != "": // the only page has no token
		return ListInstrumentsResponse{}, v0.BadRequest("pageToken %q is not from this node: omit it", req.PageToken)
	}
	instrument, err := a.instrument(ctx)
	return ListInstrumentsResponse{Instruments: []Instrument{instrument}}, err
}

func (a *API) instrumentByID(ctx context.Context, req getInstrumentRequest) (Instrument, error) {
	if req.ID != coin.InstrumentName {
		return Instrument{}, v0.NotFound("No instrument with id %s found", req.ID)
	}
	return a.instrument(ctx)
}

func (a *API) instrument(ctx context.Context) (Instrument, error) {
	instrument := Instrument{
		ID: coin.InstrumentName, Name: coinName, Symbol: coinSymbol, Decimals: 10,
		SupportedAPIs: map[string]int32{
			"splice-api-token-metadata-v1":               1,
			"splice-api-token-holding-v1":                1,
			"splice-api-token-transfer-instruction-v1":   1,
			"splice-api-token-allocation-v1":             1,
			"splice-api-token-allocation-instruction-v1": 1,
		},
	}
	supply, asOf, ok, err := a.supply.TotalSupply(ctx)
	if err != nil || !ok {
		return instrument, err
	}
	when := endpoint.Timestamp(asOf)
	instrument.TotalSupply, instrument.TotalSupplyAsOf = &supply, &when
	return instrument, nil
}
