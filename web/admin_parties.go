package web

import (
	"net/url"
	"strconv"
	"strings"
)

const (
	partiesPath = "/v2/parties"
	// partiesPage is the number of parties on a page.
	partiesPage = 100
)

// nodeParty is a party that the node knows.
type nodeParty struct {
	Party    string `json:"party"`
	IsLocal  bool   `json:"isLocal"`
	Provider string `json:"identityProviderId"`
}

type nodePartiesView struct {
	Parties []nodeParty
	// Begins is the beginning of the parties' ids; "" for all. Next is the token of the next page; "" on the last.
	Begins, Next string
	// Name and User are what the visitor typed into the form for a new party.
	Name, User string
	Problem    *problem
}

// listParties lists the parties of the node.
func (s *site) listParties(v *visit) error {
	data, err := v.partiesView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_parties", data)
}

func (v *visit) partiesView() (data nodePartiesView, err error) {
	query := v.r.URL.Query()
	data.Begins = strings.TrimSpace(query.Get("begins"))
	var out struct {
		Parties []nodeParty `json:"partyDetails"`
		Next    string      `json:"nextPageToken"`
	}
	err = v.api.Get(v.ctx(), partiesPath+"?pageSize="+strconv.Itoa(partiesPage)+
		"&filter-party="+url.QueryEscape(data.Begins)+"&pageToken="+url.QueryEscape(query.Get("after")), &out)
	data.Parties, data.Next = out.Parties, out.Next
	return data, err
}

// addParty allocates a party on this node. A user who is named may act as it.
func (s *site) addParty(v *visit) error {
	name := v.field("name")
	err := unfilled(name, "Name", "acme")
	if err == nil {
		_, err = v.api.AllocateParty(v.ctx(), name, v.field("user"))
	}
	if err == nil {
		return s.done(v, adminPath+"/parties?begins="+url.QueryEscape(name+"::"), "The party "+name+" is added.")
	}
	return refused(s, v, "admin_parties", err, v.partiesView, func(data *nodePartiesView, why *problem) {
		data.Name, data.User, data.Problem = name, v.field("user"), why
	})
}
