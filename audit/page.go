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
	// contracts are the stored contracts that the updates use.
	contracts map[ledger.ContractID]db.StoredContract
	// members are the network's contracts. mismarked are contracts with a wrong mark (in_network).
	members, mismarked map[ledger.ContractID]bool
	// consumed has the offset of the first consumption of each contract.
	consumed map[ledger.ContractID]ledger.Offset
}

// examine audits one update and adds it to the state.
func (p *page) examine(state *State, update ledger.Update) error {
	var findings []Finding
	report := func(rule Rule, id ledger.ContractID, format string, args ...any) {
		findings = append(findings, Finding{
			Rule: rule, Offset: update.Offset, ContractID: id, Detail: fmt.Sprintf(format, args...),
		})
	}
	for _, event := range update.Events {
		if p.mismarked[event.ContractID] {
			delete(p.mismarked, event.ContractID) // report it once
			findings = append(findings, markFinding(p.contracts[event.ContractID], update.Offset))
		}
		switch {
		case event.Kind == ledger.EventCreate:
			p.checkCreate(update, event, report)
			p.follow(event, state.Active.add)
		case event.Consuming:
			if _, again := p.consumed[event.ContractID]; !again {
				p.follow(event, state.Active.remove)
			}
			p.checkConsume(update, event, report)
		}
	}
	network := ledger.InNetwork(update, func(id ledger.ContractID) bool { return p.isMember(id) })
	balances, err := p.balance(state, network.Update(), report)
	if err != nil {
		return err
	}
	for _, party := range slices.SortedFunc(maps.Keys(balances), cmp.Compare) {
		if change := balances[party]; !change.actual.Equal(change.explained) {
			findings = append(findings, Finding{Rule: Explained, Offset: update.Offset, Party: party, Detail: fmt.Sprintf(
				"the balance changed by %s, but transfers, minting and burning explain %s", change.actual, change.explained)})
		}
	}
	state.report(findings...)
	return nil
}

// follow adds the contract of an event to the active set, or removes it. It skips a missing contract, which another
// check reports.
func (p *page) follow(event ledger.Event, change func(db.StoredContract)) {
	if contract, known := p.contracts[event.ContractID]; known {
		change(contract)
	}
}

// isMember reports whether a contract is the network's. It says yes for a missing contract, which another check
// reports.
func (p *page) isMember(id ledger.ContractID) bool {
	member, known := p.members[id]
	return member || !known
}

// checkCreate compares a contract with the event that created it.
func (p *page) checkCreate(
	update ledger.Update, event ledger.Event, report func(Rule, ledger.ContractID, string, ...any),
) {
	contract, known := p.contracts[event.ContractID]
	switch {
	case !known:
		report(Unchanged, event.ContractID, "the update creates the contract, but table contracts lacks it")
	case contract.Offset != update.Offset || contract.NodeID != event.NodeID:
		report(Unchanged, event.ContractID,
			"the update creates the contract at node %d, but table contracts says node %d of offset %d",
			event.NodeID, contract.NodeID, contract.Offset)
	case !bytes.Equal(contract.Payload, event.Argument) || contract.Template != event.Template:
		report(Unchanged, event.ContractID, "the contract differs from its creation: it has %s %s, the update has %s %s",
			contract.Template, contract.Payload, event.Template, event.Argument)
	default:
		if err := ledger.AuthenticateContract(contract.Contract); err != nil {
			report(Unchanged, event.ContractID, "%s", err)
		}
	}
}

// checkConsume checks that an event is the first to consume a contract, and that the contract has its offset.
func (p *page) checkConsume(
	update ledger.Update, event ledger.Event, report func(Rule, ledger.ContractID, string, ...any),
) {
	id := event.ContractID
	if earlier, again := p.consumed[id]; again {
		report(ConsumedOnce, id, "choice %s consumes the contract, but an update at offset %d already consumed it",
			event.Choice, earlier)
		return
	}
	p.consumed[id] = update.Offset
	contract, known := p.contracts[id]
	switch {
	case !known:
		report(ConsumedOnce, id, "choice %s consumes a contract that table contracts lacks", event.Choice)
	case contract.Offset > update.Offset:
		report(ConsumedOnce, id, "choice %s consumes a contract that is created later, at offset %d", event.Choice,
			contract.Offset)
	case contract.Archived == nil:
		report(ConsumedOnce, id, "choice %s consumes a contract that is still active in table contracts", event.Choice)
	case *contract.Archived != update.Offset:
		report(ConsumedOnce, id, "choice %s consumes a contract that table contracts says was archived at offset %d",
			event.Choice, *contract.Archived)
	default:
		if err := ledger.AuthenticateContract(contract.Contract); err != nil {
			report(Unchanged, id, "%s", err)
		}
	}
}

type change struct{ actual, explained decimal.Decimal }

// balance checks that the network's part of an update conserves coin. It adds the update to the state, and returns the
// changes of balances.
func (p *page) balance(
	state *State, update ledger.Update, report func(Rule, ledger.ContractID, string, ...any),
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
		report(Conserved, "", "cannot count the coin: %s", err)
		return nil, nil // the finding says it: the record is wrong, not the audit
	}
	var sum adder
	gained := sum.sub(after.Held, before.Held)
	if made := sum.sub(after.Minted, after.Burned); !made.Equal(gained) {
		report(Conserved, "", "the update mints %s and burns %s, but the holdings change by %s",
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
			report(Explained, event.ContractID, "event %d cannot be read: %s", event.NodeID, err)
		}
	}
	return moves.changes, sum.err
}

// opening makes create events of the coins that the update consumes without creating them.
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
