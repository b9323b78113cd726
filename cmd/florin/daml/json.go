package daml

import (
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// shownExcerpt is a place of a failure with its source lines.
type shownExcerpt struct {
	Title string `json:"title"`
	shownPlace
	Lines []string `json:"lines"`
}

// excerpts are the places of a failure.
func (f *file) excerpts(r result) []shownExcerpt {
	out := []shownExcerpt{}
	for _, place := range f.places(r) {
		var text strings.Builder
		f.excerpt(&text, place.At)
		shown := shownExcerpt{Title: place.title, shownPlace: placeOf(place.Frame), Lines: []string{}}
		for source := range strings.Lines(text.String()) {
			shown.Lines = append(shown.Lines, strings.TrimSpace(source))
		}
		out = append(out, shown)
	}
	return out
}

// shownNode is a node of a transaction. Its children are nodes of the same list, by their ids.
type shownNode struct {
	ID            int32             `json:"id"`
	Kind          string            `json:"kind"`
	TemplateID    string            `json:"template_id,omitempty"`
	ContractID    ledger.ContractID `json:"contract_id,omitempty"`
	Choice        string            `json:"choice,omitempty"`
	InterfaceID   string            `json:"interface_id,omitempty"`
	Consuming     bool              `json:"consuming,omitempty"`
	Signatories   []ledger.Party    `json:"signatories,omitempty"`
	ActingParties []ledger.Party    `json:"acting_parties,omitempty"`
	Children      []int32           `json:"children"`
}

// shownNodes are the first and the last nodes of a transaction, and the first parties of each.
func (r *shownResult) shownNodes(t ledger.Transaction) []shownNode {
	some := func(parties []ledger.Party) []ledger.Party {
		n := min(maxListed, len(parties))
		r.leaveOut("node_parties", len(parties)-n)
		return parties[:n]
	}
	var out []shownNode
	first, last, left := ends(t.Nodes, maxNodes)
	leftOut := func(id int32) bool { return int(id) >= len(first) && int(id) < len(first)+left }
	for _, node := range slices.Concat(first, last) {
		node.Children = slices.DeleteFunc(slices.Clone(node.Children), leftOut)
		shown := shownNode{ID: node.ID, Kind: string(node.Kind), Children: append([]int32{}, node.Children...)}
		if node.Kind != engine.Rollback {
			shown.TemplateID, shown.ContractID = fault.ShortenTo(maxLine, node.Template.String()), node.ContractID
			shown.Choice, shown.Consuming = fault.ShortenTo(maxLine, node.Choice), node.Consuming
			shown.Signatories, shown.ActingParties = some(node.Signatories), some(node.ActingParties)
		}
		if node.Interface != nil {
			shown.InterfaceID = fault.ShortenTo(maxLine, node.Interface.String())
		}
		out = append(out, shown)
	}
	r.leaveOut("nodes", left)
	return out
}
