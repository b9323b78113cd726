package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
)

// reader is the visitor's choice of parties to read as. The API decides what they see.
type reader struct {
	// Parties are the first parties that the visitor may read as, and More is the number of the others.
	Parties []string
	More    int
	// Acts are the first parties that the visitor may act as.
	Acts []string
	// Everybody is true if the visitor may read as any party.
	Everybody bool
	// As is the party that the visitor chose; "" for all.
	As string
}

// reader asks the node which parties the visitor may read as.
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
			case "CanActAs":
				as.Acts, as.Parties = append(as.Acts, of.Value.Party), append(as.Parties, of.Value.Party)
			case "CanReadAs":
				as.Parties = append(as.Parties, of.Value.Party)
			case "CanReadAsAnyParty":
				as.Everybody = true
			}
		}
	}
	slices.Sort(as.Acts)
	as.Acts, _ = firstOf(slices.Compact(as.Acts))
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

// partyOf finds the visitor's party by name, or returns the typed id.
func (r reader) partyOf(typed string) string {
	for _, party := range r.Parties {
		if !strings.Contains(typed, "::") && client.PartyName(party) == typed {
			return party
		}
	}
	return typed
}

// parties are the parties to read as.
func (r reader) parties() []string {
	if r.As != "" {
		return []string{r.As}
	}
	return r.Parties
}

func (r reader) isEverybody() bool { return r.As == "" && r.Everybody }

// Only is the party if the visitor reads as exactly one; otherwise "".
func (r reader) Only() string {
	if parties := r.parties(); len(parties) == 1 && !r.isEverybody() {
		return parties[0]
	}
	return ""
}

// Chooses reports whether the visitor has more than one party to choose from.
func (r reader) Chooses() bool { return r.Everybody || len(r.Parties) > 1 || r.As != "" }

// seen are the reader's parties that see an event; empty if the reader has only one party.
func (r reader) seen(witnesses []string) people {
	if r.Only() != "" {
		return people{}
	}
	return peopleOf(witnesses)
}

// events is the event format for all events that the reader sees.
func (r reader) events() map[string]any {
	return r.eventsOf(map[string]any{
		"WildcardFilter": map[string]any{"value": map[string]any{"includeCreatedEventBlob": false}},
	})
}

// templateFilter is an event filter for the contracts of a template or an interface.
func templateFilter(name string, isInterface bool) map[string]any {
	if isInterface {
		return map[string]any{"InterfaceFilter": map[string]any{"value": map[string]any{"interfaceId": name}}}
	}
	return map[string]any{"TemplateFilter": map[string]any{"value": map[string]any{"templateId": name}}}
}

// eventsOf is the event format for the events of a filter that the reader sees.
func (r reader) eventsOf(filter map[string]any) map[string]any {
	all := map[string]any{"cumulative": []any{map[string]any{"identifierFilter": filter}}}
	if r.isEverybody() {
		return map[string]any{"filtersByParty": map[string]any{}, "filtersForAnyParty": all, "verbose": true}
	}
	by := map[string]any{}
	for _, party := range r.parties() {
		by[party] = all
	}
	return map[string]any{"filtersByParty": by, "verbose": true}
}

// updates is the update format for all that the reader sees.
func (r reader) updates() map[string]any { return updatesOf(r.events()) }

// updatesOf is the update format for the events of an event format.
func updatesOf(events map[string]any) map[string]any {
	return map[string]any{"includeTransactions": map[string]any{
		"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS", "eventFormat": events,
	}}
}

// withReader passes the visitor's reader to a view. A visitor without a session signs in first.
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
