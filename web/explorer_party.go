package web

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// contractsPage is how many contracts a list shows, if they are not too long.
const contractsPage = 50

// holding is a contract in a list.
type holding struct {
	ID, On, Template, Package string
	At                        time.Time
}

// partyView is a party, with the contracts that it sees.
type partyView struct {
	Reader reader
	Party  string
	// Own: the visitor may read as it.
	Own       bool
	Contracts []holding
	// At is the offset at which these are active, More leads to others, "" without any.
	At    int64
	First bool
	More  string
}

// parties lists those that the visitor may read as.
func (s *site) parties(v *visit, as reader) error { return s.show(v, "parties", as) }

// partyByID shows a party, by its own eyes where the visitor may read as it, and else what the visitor sees of it.
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
	for _, one := range out.Contracts {
		found := one.Entry.Active.Created
		data.Contracts = append(data.Contracts, holding{
			ID: found.Contract, On: wordsOfTemplate(found.Template), Template: found.Template, Package: found.Package,
			At: found.At,
		})
	}
	if out.Next != nil {
		data.More = explorerPath + "/parties/" + url.PathEscape(data.Party) + "?" + url.Values{"after": {*out.Next}}.Encode()
	}
	return s.show(v, "party", data)
}
