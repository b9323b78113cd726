package web

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/florinledger/florin/wallet/sentence"
)

// contractsPage is the number of contracts in a list, if they are not too long.
const contractsPage = 50

type holding struct {
	ID, Template, Package string
	Said                  sentence.Sentence
	At                    time.Time
}

type partyView struct {
	Reader reader
	Party  string
	// Own is true if the visitor may read as the party.
	Own       bool
	Contracts []holding
	// At is the offset of the list. More is the address of the next page; "" on the last.
	At    int64
	First bool
	More  string
}

// contractPage is a page of active contracts.
type contractPage struct {
	Contracts []createdContract
	// At is the offset of the list, Next the token of the next page; nil on the last.
	At   int64
	Next *string
}

// activeContracts reads a page of active contracts, of at most size, after the page that gave the token.
func (v *visit) activeContracts(format map[string]any, after string, size int) (contractPage, error) {
	in := map[string]any{"eventFormat": format}
	if after != "" {
		in["pageToken"] = after
	}
	var out struct {
		Contracts []struct {
			Entry struct {
				Active struct {
					Created createdContract `json:"createdEvent"`
				} `json:"JsActiveContract"`
			} `json:"contractEntry"`
		} `json:"activeContracts"`
		At   int64   `json:"activeAtOffset"`
		Next *string `json:"nextPageToken"`
	}
	err := withShorterPages(size, func(size int) error {
		in["maxPageSize"] = size
		return v.api.Call(v.ctx(), http.MethodGet, "/v2/state/active-contracts-page", in, &out)
	})
	page := contractPage{At: out.At, Next: out.Next}
	for _, one := range out.Contracts {
		page.Contracts = append(page.Contracts, one.Entry.Active.Created)
	}
	return page, err
}

// parties lists the parties that the visitor may read as.
func (s *site) parties(v *visit, as reader) error { return s.show(v, "parties", as) }

// partyByID shows the active contracts of a party that the visitor may read as.
func (s *site) partyByID(v *visit, as reader) error {
	after := v.r.URL.Query().Get("after")
	data := partyView{Party: v.r.PathValue("party"), First: after == ""}
	data.Own = as.Everybody || slices.Contains(as.Parties, data.Party) || as.More > 0
	as.As = data.Party
	data.Reader = as
	if !data.Own {
		return s.show(v, "party", data)
	}
	page, err := v.activeContracts(as.events(), after, contractsPage)
	if err != nil {
		return err
	}
	data.At = page.At
	tell := s.teller(v, as)
	for _, found := range page.Contracts {
		data.Contracts = append(data.Contracts, holding{
			ID: found.Contract, Said: tell.contract(found), Template: found.Template, Package: found.Package, At: found.At,
		})
	}
	if page.Next != nil {
		data.More = explorerPath + "/parties/" + url.PathEscape(data.Party) + "?" + url.Values{"after": {*page.Next}}.Encode()
	}
	return s.show(v, "party", data)
}
