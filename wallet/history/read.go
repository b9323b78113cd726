package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/sentence"
)

// Reader reads the history of one party.
type Reader struct {
	// Party is the owner of the history.
	Party ledger.Party
	// Contract finds the contracts of a transaction, active or not. A missing contract makes an item unknown.
	Contract func(id ledger.ContractID) (ledger.Contract, bool, error)
	// Now is the date of unknown items.
	Now time.Time
}

// Items returns the items of a transaction in the party's history, in execution order; none if the transaction does not
// concern the party. It reads the events that the party witnesses. The error is that of looking up a contract. A
// transaction that Items cannot understand becomes an item of KindUnknown.
func (h Reader) Items(network ledger.NetworkUpdate) ([]Item, error) {
	update := network.Update()
	update.Events = slices.DeleteFunc(slices.Clone(update.Events), func(event ledger.Event) bool {
		return !ledger.PartiesContain(event.Witnesses, h.Party)
	})
	r := &reader{Reader: h, update: update, rules: rules(), used: map[string]bool{}}
	for i := 0; i < len(update.Events); {
		read, err := r.visit(i)
		if err != nil {
			return nil, err
		}
		i = read
	}
	return r.items, nil
}

// reader reads one transaction.
type reader struct {
	Reader

	update ledger.Update
	rules  map[string]rule
	items  []Item
	used   map[string]bool // event ids of the items so far
	failed error           // the first failure to look up a contract
	// created has the payloads of the contracts that the transaction created; nil before the first lookup.
	created map[ledger.ContractID]json.RawMessage
	// events are those of the transaction, as sentences read them, without fetches; nil before the first item. places
	// are their indexes by node id.
	events []sentence.Event
	places map[int32]int
	// others are further parties that the current item concerns, each from its own point of view.
	others []ledger.Party
}

// visit reads the event at index i and returns the next index: behind the event's sub-tree if it became an item, else
// its first child.
func (r *reader) visit(i int) (next int, err error) {
	event := r.update.Events[i]
	known, ok := r.known(event)
	if !ok {
		return i + 1, nil
	}
	item, err := r.read(known, i)
	if r.failed != nil {
		return 0, r.failure()
	}
	if err != nil {
		item = Item{
			Kind: KindUnknown, Subtype: Subtype{TemplateID: unknown, Choice: unknown}, EventID: r.eventID(event),
			Date: r.Now, Details: err.Error(),
		}
	}
	if err != nil || item.concerns(r.Party) {
		r.used[item.EventID] = true
		item.Sentence = r.sentence(i)
		r.items = append(r.items, item)
	}
	if r.failed != nil {
		return 0, r.failure()
	}
	return r.end(i), nil
}

func (r *reader) failure() error {
	return fmt.Errorf("read the history of %s in %s: %w", r.Party, r.update.ID, r.failed)
}

// sentence describes the event at index i.
func (r *reader) sentence(i int) sentence.Sentence {
	if r.events == nil {
		r.readEvents()
	}
	return sentence.Reader{Payload: r.argumentOf}.At(r.events, r.places[r.update.Events[i].NodeID])
}

func (r *reader) readEvents() {
	r.places = map[int32]int{}
	for _, event := range r.update.Events {
		if event.Kind != ledger.EventCreate && event.Kind != ledger.EventExercise {
			continue
		}
		one := sentence.Event{
			Template: event.Template.QualifiedName(), Choice: event.Choice, Contract: string(event.ContractID),
			Argument: event.Argument, Result: event.Result, Node: event.NodeID, Last: event.LastDescendant,
		}
		by := event.ActingParties
		if event.Kind == ledger.EventCreate {
			by = event.Signatories
		}
		for _, party := range by {
			one.By = append(one.By, string(party))
		}
		r.places[event.NodeID] = len(r.events)
		r.events = append(r.events, one)
	}
}

// argumentOf is the payload of a contract; nil if it is not known.
func (r *reader) argumentOf(id string) json.RawMessage {
	payload, _ := r.payload(ledger.ContractID(id)) // visit reports the failure of a lookup
	return payload
}

// known returns the rule for an event; false for none.
func (r *reader) known(event ledger.Event) (rule, bool) {
	name := event.Template.QualifiedName()
	if event.Kind == ledger.EventCreate && name == instruction {
		return rule{special: announceTransfer}, true
	}
	known, ok := r.rules[name+"/"+event.Choice]
	return known, ok && event.Kind == ledger.EventExercise
}

// end returns the index behind the sub-tree of the event at index i.
func (r *reader) end(i int) int {
	last := r.update.Events[i].LastDescendant
	for i++; i < len(r.update.Events) && r.update.Events[i].NodeID <= last; {
		i++
	}
	return i
}

func (r *reader) read(known rule, i int) (Item, error) {
	if known.special != nil {
		return known.special(r, i)
	}
	event := r.update.Events[i]
	item := r.newItem(known.kind, event)
	if known.choice != "" {
		item.Subtype.Choice = known.choice
	}
	if known.template != "" {
		item.Subtype.TemplateID = known.template
	}
	party, err := r.party(event, known.party)
	if err != nil {
		return item, err
	}
	if known.kind == KindBalanceChange {
		item.Receivers = []PartyAmount{{Party: party}}
		if !known.isDust {
			item.Receivers[0].Amount, err = r.changeOf(i, party)
		}
		return item, err
	}
	if err := r.fillTransfer(&item, i, party); err != nil {
		return item, err
	}
	if event.Choice == "TransferPreapproval_Send" || event.Choice == "TransferPreapproval_SendV2" {
		item.Description, err = r.optionalText(event, argument("description"))
	}
	r.reportBatch(&item, i)
	return item, err
}

// reportBatch turns a transfer of a wallet's batch, to collect or merge, into an item of the batch.
func (r *reader) reportBatch(item *Item, i int) {
	if r.update.Events[i].Choice != "AmuletRules_Transfer" {
		return
	}
	parent, ok := r.parent(i)
	if !ok || parent.Choice != "WalletAppInstall_ExecuteBatch" {
		return
	}
	item.Subtype = subtype(parent)
	if id := r.eventID(parent); !r.used[id] {
		item.EventID = id
	}
}

// parent returns the exercise directly above the event at index i.
func (r *reader) parent(i int) (ledger.Event, bool) {
	node := r.update.Events[i].NodeID
	for above := i - 1; above >= 0; above-- {
		if event := r.update.Events[above]; event.LastDescendant >= node {
			return event, true
		}
	}
	return ledger.Event{}, false
}

func (r *reader) newItem(kind Kind, event ledger.Event) Item {
	return Item{Kind: kind, Subtype: subtype(event), EventID: r.eventID(event), Date: r.update.EffectiveAt}
}

func (r *reader) eventID(event ledger.Event) string {
	return fmt.Sprintf("#%s:%d", r.update.ID, event.NodeID)
}

func subtype(event ledger.Event) Subtype {
	return Subtype{TemplateID: "#" + event.PackageName + ":" + event.Template.QualifiedName(), Choice: event.Choice}
}

// document returns the JSON that has the field.
func (r *reader) document(event ledger.Event, from source) (json.RawMessage, error) {
	switch from {
	case inArgument:
		return event.Argument, nil
	case inResult:
		return event.Result, nil
	default:
		return r.payload(event.ContractID)
	}
}

// payload finds the payload of a contract, in the transaction or with the Contract function.
func (r *reader) payload(id ledger.ContractID) (json.RawMessage, error) {
	if r.created == nil {
		r.created = map[ledger.ContractID]json.RawMessage{}
		for _, event := range r.update.Events {
			if event.Kind == ledger.EventCreate {
				r.created[event.ContractID] = event.Argument
			}
		}
	}
	if payload, ok := r.created[id]; ok {
		return payload, nil
	}
	found, ok, err := r.Contract(id)
	if err != nil {
		r.failed = err
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("contract %s is not known", id)
	}
	return found.Payload, nil
}

// decode reads the field at a place.
func (r *reader) decode(event ledger.Event, at place, into any) error {
	document, err := r.document(event, at.source)
	if err != nil {
		return err
	}
	return decodeAt(document, at.path, into)
}

func (r *reader) party(event ledger.Event, at place) (ledger.Party, error) {
	var party ledger.Party
	err := r.decode(event, at, &party)
	if err == nil && party == "" {
		err = fmt.Errorf("%s of contract %s has no party in the field %v", event.Choice, event.ContractID, at.path)
	}
	return party, err
}

func (r *reader) optionalText(event ledger.Event, at place) (text *string, err error) {
	err = r.decode(event, at, &text)
	return text, err
}

// decodeAt reads the field at a path of a JSON document; an absent field stays unset.
func decodeAt(document json.RawMessage, path []string, into any) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(document))
	for _, name := range path {
		found, err := enter(decoder, name)
		if err != nil {
			return fmt.Errorf("read the field %s: %w", name, err)
		}
		if !found {
			return nil
		}
	}
	value, err := decoder.ReadValue()
	if err != nil {
		return fmt.Errorf("read the field %v: %w", path, err)
	}
	return json.Unmarshal(value, into)
}

// enter moves a decoder before an object to the value of one of its fields; false if the object lacks it, or is null.
func enter(decoder *jsontext.Decoder, name string) (found bool, err error) {
	token, err := decoder.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return false, err
	}
	if token.Kind() != '{' {
		return false, fmt.Errorf("there is no object but %s", token.Kind())
	}
	for decoder.PeekKind() == '"' {
		token, err := decoder.ReadToken()
		if err != nil {
			return false, err
		}
		if token.String() == name {
			return true, nil
		}
		if err := decoder.SkipValue(); err != nil {
			return false, err
		}
	}
	_, err = decoder.ReadToken()
	return false, err
}
