package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
)

// reader is as whom a visitor reads the ledger. What that shows, the API decides.
type reader struct {
	// Parties are the first of those that the visitor has the right to read as, and More how many others there are.
	Parties []string
	More    int
	// Everybody: the visitor has the right to read as any party.
	Everybody bool
	// As is the party that the visitor chose to read as; "" is all of them.
	As string
}

// reader asks the node as whom the visitor may read.
func (v *visit) reader() (reader, error) {
	var out struct {
		Rights []struct {
			Kind map[string]struct {
				Value struct {
					Party string `json:"party"`
				} `json:"value"`
			} `json:"kind"`
		} `json:"rights"`
	}
	if err := v.api.Get(v.ctx(), "/v2/users/"+url.PathEscape(v.session.User)+"/rights", &out); err != nil {
		return reader{}, err
	}
	var as reader
	for _, right := range out.Rights {
		for kind, of := range right.Kind {
			switch kind {
			case "CanActAs", "CanReadAs":
				as.Parties = append(as.Parties, of.Value.Party)
			case "CanReadAsAnyParty":
				as.Everybody = true
			}
		}
	}
	slices.Sort(as.Parties)
	as.Parties, as.More = firstOf(slices.Compact(as.Parties))
	as.As = as.partyOf(strings.TrimSpace(v.r.URL.Query().Get("as")))
	if len(as.parties()) == 0 && !as.isEverybody() {
		return as, &problem{
			Status: http.StatusForbidden, What: "You have no right to read as a party, so there is nothing to show.",
			Next: "Open a wallet, or ask an administrator of the node for the right to read as a party.",
		}
	}
	return as, nil
}

// partyOf is the party of the visitor that has a name, or else the party whose id was typed.
func (r reader) partyOf(typed string) string {
	for _, party := range r.Parties {
		if !strings.Contains(typed, "::") && client.PartyName(party) == typed {
			return party
		}
	}
	return typed
}

// parties are those whose part of the ledger is asked for.
func (r reader) parties() []string {
	if r.As != "" {
		return []string{r.As}
	}
	return r.Parties
}

// isEverybody reports whether the parts of all parties are asked for.
func (r reader) isEverybody() bool { return r.As == "" && r.Everybody }

// Only is the one party whose part is asked for, "" of several.
func (r reader) Only() string {
	if parties := r.parties(); len(parties) == 1 && !r.isEverybody() {
		return parties[0]
	}
	return ""
}

// Chooses reports whether there is more than one party to read as.
func (r reader) Chooses() bool { return r.Everybody || len(r.Parties) > 1 || r.As != "" }

// seen are the parties of the reader who see something; nobody where that is clear, because there is one.
func (r reader) seen(witnesses []string) people {
	if r.Only() != "" {
		return people{}
	}
	return peopleOf(witnesses)
}

// events asks for all events that the reader sees.
func (r reader) events() map[string]any {
	all := map[string]any{"cumulative": []any{map[string]any{"identifierFilter": map[string]any{
		"WildcardFilter": map[string]any{"value": map[string]any{"includeCreatedEventBlob": false}},
	}}}}
	if r.isEverybody() {
		return map[string]any{"filtersByParty": map[string]any{}, "filtersForAnyParty": all, "verbose": true}
	}
	by := map[string]any{}
	for _, party := range r.parties() {
		by[party] = all
	}
	return map[string]any{"filtersByParty": by, "verbose": true}
}

// updates asks for all of an update that the reader sees.
func (r reader) updates() map[string]any {
	return map[string]any{"includeTransactions": map[string]any{
		"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS", "eventFormat": r.events(),
	}}
}

// withReader is a view of what the visitor may read. Who has not signed in does so, and then sees it.
func (s *site) withReader(show func(v *visit, as reader) error) view {
	return func(v *visit) error {
		if v.session.Token == "" {
			return s.showSignIn(v, http.StatusOK, "", nil)
		}
		as, err := v.reader()
		if err != nil {
			return err
		}
		return show(v, as)
	}
}
