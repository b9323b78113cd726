package web

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"github.com/florinledger/florin/ledger/decimal"
)

const holdingType = "#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding"

// tokenSum is what the visitor holds of a token that is not the coin. Anybody can make a token of any name, so that the
// administrator and the package stand beside it.
type tokenSum struct {
	Name, Admin, Package string
	Amount               decimal.Decimal
	// Holdings is the number of contracts, MayMore is true if the page did not read all of them.
	Holdings int
	MayMore  bool
}

// tokens sums the holdings of the token standard, one page of them.
func (s *site) tokens(v *visit) ([]tokenSum, error) {
	var out struct {
		Contracts []struct {
			Entry struct {
				Active struct {
					Created struct {
						createdContract

						Views []struct {
							Value struct {
								Owner      string          `json:"owner"`
								Amount     decimal.Decimal `json:"amount"`
								Instrument struct {
									Admin string `json:"admin"`
									ID    string `json:"id"`
								} `json:"instrumentId"`
							} `json:"viewValue"`
						} `json:"interfaceViews"`
					} `json:"createdEvent"`
				} `json:"JsActiveContract"`
			} `json:"contractEntry"`
		} `json:"activeContracts"`
		Next *string `json:"nextPageToken"`
	}
	in := map[string]any{"eventFormat": interfaceFormat(v.party, holdingType)}
	err := withShorterPages(maxRows, func(size int) error {
		in["maxPageSize"] = size
		return v.api.Call(v.ctx(), http.MethodGet, "/v2/state/active-contracts-page", in, &out)
	})
	if err != nil {
		return nil, err
	}
	sums := map[[3]string]tokenSum{}
	for _, one := range out.Contracts {
		created := one.Entry.Active.Created
		if foreignPackage(s.BuiltIn, created.Template, created.Package) == "" {
			continue // the coin
		}
		for _, view := range created.Views {
			if view.Value.Owner != v.party {
				continue
			}
			key := [3]string{view.Value.Instrument.Admin, view.Value.Instrument.ID, created.Package}
			sum := sums[key]
			if sum.Amount, err = sum.Amount.Add(view.Value.Amount); err != nil {
				return nil, err
			}
			sum.Admin, sum.Name, sum.Package, sum.MayMore = key[0], key[1], key[2], out.Next != nil
			sum.Holdings++
			sums[key] = sum
		}
	}
	return slices.SortedFunc(maps.Values(sums), func(x, y tokenSum) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Admin, y.Admin), cmp.Compare(x.Package, y.Package))
	}), nil
}

// interfaceFormat is the event format for a party's contracts with an interface, and their views.
func interfaceFormat(party, name string) map[string]any {
	filter := map[string]any{"identifierFilter": map[string]any{"InterfaceFilter": map[string]any{
		"value": map[string]any{
			"interfaceId": name, "includeInterfaceView": true, "includeCreatedEventBlob": false,
		},
	}}}
	return map[string]any{
		"filtersByParty": map[string]any{party: map[string]any{"cumulative": []any{filter}}}, "verbose": true,
	}
}
