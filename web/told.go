package web

import (
	"encoding/json"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/wallet/sentence"
)

// teller tells visitors what happened, in sentences.
type teller struct {
	visit *visit
	as    reader
	site  *site
	// contracts are the arguments of the contracts that it has looked up.
	contracts map[string]json.RawMessage
}

func (s *site) teller(v *visit, as reader) *teller {
	return &teller{visit: v, as: as, site: s, contracts: map[string]json.RawMessage{}}
}

// learn keeps the arguments of created contracts, so that later events of them need no call.
func (t *teller) learn(events []event) {
	for _, one := range events {
		if one.Created != nil {
			t.contracts[one.Created.Contract] = one.Created.Argument
		}
	}
}

// update tells what an update did.
func (t *teller) update(events []event) sentence.Sentence {
	return t.named(sentence.Reader{Payload: t.argumentOf}.Of(t.site.toSentenceEvents(events)))
}

// each tells what each event of an update did, with its consequences.
func (t *teller) each(events []event) func(i int) sentence.Sentence {
	all := t.site.toSentenceEvents(events)
	return func(i int) sentence.Sentence { return t.named(sentence.Reader{Payload: t.argumentOf}.At(all, i)) }
}

// contract tells how a contract came to be.
func (t *teller) contract(found createdContract) sentence.Sentence {
	return t.named(sentence.Reader{}.Of([]sentence.Event{{
		Template: found.Template, Foreign: foreignPackage(t.site.BuiltIn, found.Template, found.Package),
		Contract: found.Contract, Argument: found.Argument, By: found.Signatories,
	}}))
}

// named gives the parties their names.
func (t *teller) named(said sentence.Sentence) sentence.Sentence {
	return said.Named("", t.site.nameOf)
}

// operatorName is the name of the node's operator. Others with this name, or with that of the coin's administrator, are
// shown with a fingerprint.
const operatorName, administratorName = "operator", "DSO"

// partyNames names parties for the visitors of a node.
type partyNames struct{ participant, operator string }

func (n partyNames) name(party string) string {
	if party == n.operator {
		return operatorName
	}
	return client.PartyName(party)
}

// fingerprint is the fingerprint to show beside the name; "" if the name says enough.
func (n partyNames) fingerprint(party string) string {
	name := n.name(party)
	if party != n.operator && (name == operatorName || name == administratorName) {
		return client.PartyFingerprint(party)
	}
	return foreignFingerprint(n.participant, party)
}

// whole is the name with the fingerprint that it needs.
func (n partyNames) whole(party string) string {
	if fingerprint := n.fingerprint(party); fingerprint != "" {
		return n.name(party) + "::" + fingerprint
	}
	return n.name(party)
}

// nameOf is the name of a party in sentences.
func (s *site) nameOf(party string) string { return partyNames{s.Participant, s.Operator}.whole(party) }

// argumentOf looks a contract up; nil if the visitor may not see it.
func (t *teller) argumentOf(contract string) json.RawMessage {
	if known, isKnown := t.contracts[contract]; isKnown {
		return known
	}
	var out struct {
		Created struct {
			Event createdContract `json:"createdEvent"`
		} `json:"created"`
	}
	in := map[string]any{"contractId": contract, "eventFormat": t.as.events()}
	// Without the contract the sentence says less.
	_ = t.visit.api.Post(t.visit.ctx(), "/v2/events/events-by-contract-id", in, &out)
	t.contracts[contract] = out.Created.Event.Argument
	return t.contracts[contract]
}

func (s *site) toSentenceEvents(events []event) []sentence.Event {
	all := make([]sentence.Event, 0, len(events))
	for _, from := range events {
		var to sentence.Event
		switch {
		case from.Created != nil:
			c := from.Created
			to = sentence.Event{
				Template: c.Template, Foreign: foreignPackage(s.BuiltIn, c.Template, c.Package), Contract: c.Contract,
				Argument: c.Argument, By: c.Signatories, Node: c.NodeID, Last: c.NodeID,
			}
		case from.Exercised != nil:
			x := from.Exercised
			to = sentence.Event{
				Template: x.Template, Foreign: foreignPackage(s.BuiltIn, x.Template, x.Package), Contract: x.Contract,
				Choice: x.Choice, Argument: x.Argument, Result: x.Result, By: x.Acting, Node: x.NodeID, Last: x.Last,
			}
		}
		all = append(all, to)
	}
	return all
}
