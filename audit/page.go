package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

type page struct {
	// contracts are those that the updates mention, as the record keeps them.
	contracts map[ledger.ContractID]db.StoredContract
	// members are those that are the network's, mismarked those of which the record says something else.
	members, mismarked map[ledger.ContractID]bool
	// consumed says where each contract was first consumed.
	consumed map[ledger.ContractID]ledger.Offset
}

// examine audits one update and adds it to the state.
func (p *page) examine(state *State, update ledger.Update) error {
	var findings []Finding
	found := func(rule Rule, id ledger.ContractID, format string, args ...any) {
		findings = append(findings, Finding{
			Rule: rule, Offset: update.Offset, ContractID: id, Detail: fmt.Sprintf(format, args...),
		})
	}
	for _, event := range update.Events {
		if p.mismarked[event.ContractID] {
			delete(p.mismarked, event.ContractID) // once is enough
			findings = append(findings, notMarked(p.contracts[event.ContractID], update.Offset))
		}
		switch {
		case event.Kind == ledger.EventCreate:
			p.created(update, event, found)
			p.follow(event, state.Active.add)
		case event.Consuming:
			if _, again := p.consumed[event.ContractID]; !again {
				p.follow(event, state.Active.remove)
			}
			p.wasConsumed(update, event, found)
		}
	}
	network := ledger.InNetwork(update, func(id ledger.ContractID) bool { return p.isMember(id) })
	balances, err := p.balance(state, network.Update(), found)
	if err != nil {
		return err
	}
	for _, party := range slices.SortedFunc(maps.Keys(balances), cmp.Compare) {
		if change := balances[party]; !change.actual.Equal(change.explained) {
			findings = append(findings, Finding{Rule: Explained, Offset: update.Offset, Party: party, Detail: fmt.Sprintf(
				"the balance changed by %s, of which %s is explained", change.actual, change.explained)})
		}
	}
	state.report(findings...)
	return nil
}

// follow adds the contract of an event to those that must be there, or removes it. One that there is no record of is
// found elsewhere.
func (p *page) follow(event ledger.Event, change func(db.StoredContract)) {
	if contract, known := p.contracts[event.ContractID]; known {
		change(contract)
	}
}

// isMember reports whether a contract is the network's. One that there is no record of, which is found elsewhere, is
// taken for one.
func (p *page) isMember(id ledger.ContractID) bool {
	member, known := p.members[id]
	return member || !known
}

// created compares a contract with the event that created it.
func (p *page) created(update ledger.Update, event ledger.Event, found func(Rule, ledger.ContractID, string, ...any)) {
	contract, known := p.contracts[event.ContractID]
	switch {
	case !known:
		found(Unchanged, event.ContractID, "the contract was created here, but there is no record of it")
	case contract.Offset != update.Offset || contract.NodeID != event.NodeID:
		found(Unchanged, event.ContractID, "the contract was created at node %d here, but recorded for node %d of offset %d",
			event.NodeID, contract.NodeID, contract.Offset)
	case !bytes.Equal(contract.Payload, event.Argument) || contract.Template != event.Template:
		found(Unchanged, event.ContractID, "the contract differs from the one that was created: %s %s, not %s %s",
			contract.Template, contract.Payload, event.Template, event.Argument)
	default:
		if err := ledger.AuthenticateContract(contract.Contract); err != nil {
			found(Unchanged, event.ContractID, "%s", err)
		}
	}
}

// wasConsumed checks that a contract is consumed for the first time, and marked so.
func (p *page) wasConsumed(
	update ledger.Update, event ledger.Event, found func(Rule, ledger.ContractID, string, ...any),
) {
	id := event.ContractID
	if earlier, again := p.consumed[id]; again {
		found(ConsumedOnce, id, "the contract is consumed by %s, but was already consumed at offset %d",
			event.Choice, earlier)
		return
	}
	p.consumed[id] = update.Offset
	contract, known := p.contracts[id]
	switch {
	case !known:
		found(ConsumedOnce, id, "%s consumes a contract that there is no record of", event.Choice)
	case contract.Offset > update.Offset:
		found(ConsumedOnce, id, "%s consumes a contract that is created later, at offset %d", event.Choice, contract.Offset)
	case contract.Archived == nil:
		found(ConsumedOnce, id, "%s consumes a contract that is still marked as active", event.Choice)
	case *contract.Archived != update.Offset:
		found(ConsumedOnce, id, "%s consumes a contract that is marked as consumed at offset %d",
			event.Choice, *contract.Archived)
	default:
		if err := ledger.AuthenticateContract(contract.Contract); err != nil {
			found(Unchanged, id, "%s", err)
		}
	}
}

// change is how a party's balance changed.
type change struct{ actual, explained decimal.Decimal }

// balance checks that the network's part of an update conserves coin, adds it to the state, and returns how balances
// changed.
func (p *page) balance(
	state *State, update ledger.Update, found func(Rule, ledger.ContractID, string, ...any),
) (map[ledger.Party]change, error) {
	if !touchesCoin(update) {
		return nil, nil
	}
	opening := p.opening(update)
	before, err := coin.SupplyOf([][]ledger.Event{opening})
	if err != nil {
		return nil, err
	}
	after, err := coin.SupplyOf([][]ledger.Event{opening, update.Events})
	if err != nil {
		found(Conserved, "", "the coin cannot be counted: %s", err)
		return nil, nil // the record is what is wrong, and that is what was found
	}
	var sum adder
	gained := sum.sub(after.Held, before.Held)
	if made := sum.sub(after.Minted, after.Burned); !made.Equal(gained) {
		found(Conserved, "", "%s was minted and %s burned, but what is held changed by %s",
			after.Minted, after.Burned, gained)
	}
	state.Minted = sum.add(state.Minted, after.Minted)
	state.Burned = sum.add(state.Burned, after.Burned)
	state.Held = sum.add(state.Held, gained)
	moves := moves{contracts: p.contracts, sum: &sum, changes: map[ledger.Party]change{}}
	lastOfRoot := int32(-1)
	for _, event := range update.Events {
		isRoot := event.NodeID > lastOfRoot
		if isRoot {
			lastOfRoot = event.LastDescendant
		}
		if err := moves.add(event, isRoot); err != nil {
			found(Explained, event.ContractID, "event %d cannot be read: %s", event.NodeID, err)
		}
	}
	return moves.changes, sum.err
}

// opening are the coins that the update consumes and has not created itself, as if they were created just before.
func (p *page) opening(update ledger.Update) []ledger.Event {
	own := map[ledger.ContractID]bool{}
	var events []ledger.Event
	for _, event := range update.Events {
		if event.Kind == ledger.EventCreate {
			own[event.ContractID] = true
		}
		contract, known := p.contracts[event.ContractID]
		if !event.Consuming || own[event.ContractID] || !known || !isHolding(event) {
			continue
		}
		own[event.ContractID] = true
		node := int32(len(events))
		events = append(events, ledger.Event{
			NodeID: node, LastDescendant: node, Kind: ledger.EventCreate, ContractID: contract.ID,
			Template: contract.Template, PackageName: contract.PackageName, Argument: contract.Payload,
		})
	}
	return events
}

// adder adds amounts and keeps the first error.
type adder struct{ err error }

func (a *adder) keep(sum decimal.Decimal, err error) decimal.Decimal {
	if a.err == nil {
		a.err = err
	}
	return sum
}

func (a *adder) add(x, y decimal.Decimal) decimal.Decimal { return a.keep(x.Add(y)) }
func (a *adder) sub(x, y decimal.Decimal) decimal.Decimal { return a.keep(x.Sub(y)) }
