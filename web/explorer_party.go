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
	in := map[string]any{"eventFormat": as.events()}
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
	err := withShorterPages(contractsPage, func(size int) error {
		in["maxPageSize"] = size
		return v.api.Call(v.ctx(), http.MethodGet, "/v2/state/active-contracts-page", in, &out)
	})
	if err != nil {
		return err
	}
	data.At = out.At
	tell := s.teller(v, as)
	for _, one := range out.Contracts {
		found := one.Entry.Active.Created
		data.Contracts = append(data.Contracts, holding{
			ID: found.Contract, Said: tell.contract(found), Template: found.Template, Package: found.Package, At: found.At,
		})
	}
	if out.Next != nil {
		data.More = explorerPath + "/parties/" + url.PathEscape(data.Party) + "?" + url.Values{"after": {*out.Next}}.Encode()
	}
	return s.show(v, "party", data)
}
