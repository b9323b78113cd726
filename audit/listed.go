package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/history"
	"github.com/florinledger/florin/wallet/tracking"
)

// Readers find their entries by listings, which each commit derives from the entries that it writes. The audit compares
// each page of entries with the listings; a full audit also counts the rows of the listings.

// listings are what the listings have for a page of entries.
type listings struct {
	completions, updates []db.Unlisted
	executions           []ledger.Offset
	// lost are the parties that the updates allocate and the table of parties lacks.
	lost []Finding
	// steps are what the updates did to requests, in order, and known is what became of these.
	steps []db.Tracked
	known map[db.TrackedID]db.Tracked
	// should counts what there should be of completions and updates.
	should rowCounts
}

// rowCounts counts the entries of listings that belong to entries of the record.
type rowCounts struct{ completions, updates, tracked int64 }

// listings looks up a page of entries in the listings.
func (a *Auditor) listings(ctx context.Context, e entries, updates []ledger.Update, p *page) (l listings, err error) {
	for _, completion := range e.completions {
		l.should.completions += int64(completion.Actors)
	}
	if l.completions, err = a.record.UnlistedCompletions(ctx, e.after, e.upTo); err != nil {
		return l, err
	}
	if l.executions, err = a.record.UnlistedExecutions(ctx, e.after, e.upTo); err != nil {
		return l, err
	}
	histories := make(map[ledger.Offset][]ledger.Party, len(updates))
	for _, update := range updates {
		network := ledger.InNetwork(update, p.isMember)
		histories[update.Offset], err = history.Parties(network, func(id ledger.ContractID) (ledger.Contract, bool, error) {
			return a.contract(ctx, p, id)
		})
		if err != nil {
			return l, fmt.Errorf("find the parties of the update at offset %d: %w", update.Offset, err)
		}
		l.steps = append(l.steps, steps(network)...)
	}
	var pairs int
	if l.updates, pairs, err = a.record.UnlistedUpdates(ctx, updates, histories); err != nil {
		return l, err
	}
	l.should.updates = int64(pairs)
	ids := make([]db.TrackedID, len(l.steps))
	for i, step := range l.steps {
		ids[i] = step.TrackedID
	}
	if l.known, err = a.record.TrackedStates(ctx, ids); err != nil {
		return l, err
	}
	l.lost, err = a.lostParties(ctx, updates)
	return l, err
}

// contract finds a contract that an update uses.
func (a *Auditor) contract(ctx context.Context, p *page, id ledger.ContractID) (ledger.Contract, bool, error) {
	contract, known := p.contracts[id]
	if known {
		return contract.Contract, true, nil
	}
	found, err := a.record.Contracts(ctx, []ledger.ContractID{id})
	contract, known = found[id]
	return contract.Contract, known, err
}

// steps are what an update did to the requests of wallets; none where it cannot be read, which is found elsewhere. Of
// several steps of a request the last one counts.
func steps(network ledger.NetworkUpdate) []db.Tracked {
	entries, err := tracking.Read(network)
	if err != nil {
		return nil
	}
	var steps []db.Tracked
	places := make(map[db.TrackedID]int, len(entries))
	for _, entry := range entries {
		state, err := json.Marshal(entry.State)
		if err != nil {
			return nil
		}
		step := db.Tracked{
			TrackedID: db.TrackedID{
				Party: entry.Party, Requester: entry.Requester, Kind: string(entry.Kind), TrackingID: entry.TrackingID,
			},
			Offset: network.Update().Offset, State: state,
		}
		if at, again := places[step.TrackedID]; again {
			steps[at] = step
			continue
		}
		places[step.TrackedID] = len(steps)
		steps = append(steps, step)
	}
	return steps
}

func (a *Auditor) lostParties(ctx context.Context, updates []ledger.Update) (lost []Finding, err error) {
	var parties []ledger.Party
	for _, update := range updates {
		for _, hosting := range update.Topology {
			parties = append(parties, hosting.Party)
		}
	}
	if len(parties) == 0 {
		return nil, nil
	}
	known, err := a.record.KnownParties(ctx, parties)
	for _, update := range updates {
		for _, hosting := range update.Topology {
			if _, ok := known[hosting.Party]; !ok {
				lost = append(lost, listed(update.Offset, hosting.Party, "parties does not have a party that was allocated here"))
			}
		}
	}
	return lost, err
}

func (l listings) examine(state *State) {
	for _, completion := range l.completions {
		l.should.completions--
		state.report(listed(completion.Offset, completion.Party,
			"completion_parties does not list the completion for a party that acted"))
	}
	for _, update := range l.updates {
		if update.OnlyHistory {
			state.report(listed(update.Offset, update.Party,
				"update_parties leaves the update out of the history of a party that it may concern"))
			continue
		}
		l.should.updates--
		state.report(listed(update.Offset, update.Party, "update_parties does not list the update for a party that sees it"))
	}
	for _, offset := range l.executions {
		state.report(listed(offset, "", "executed_transactions does not have the signed transaction, which could be "+
			"executed once more"))
	}
	state.report(l.lost...)
	for _, step := range l.steps {
		known, ok := l.known[step.TrackedID]
		switch {
		case !ok:
			state.report(lostStep(step, "tracked_requests does not have the %s %q of %s"))
		case known.Offset < step.Offset:
			state.report(lostStep(step, "tracked_requests has an earlier state of the %s %q of %s"))
		case known.Offset > step.Offset: // a later update says what became of it
		default:
			l.should.tracked++
			if !bytes.Equal(known.State, step.State) {
				state.report(lostStep(step, "tracked_requests has another state of the %s %q of %s"))
			}
		}
	}
	state.listed.completions += l.should.completions
	state.listed.updates += l.should.updates
	state.listed.tracked += l.should.tracked
}

func listed(offset ledger.Offset, party ledger.Party, detail string) Finding {
	return Finding{Rule: Listed, Offset: offset, Party: party, Detail: detail}
}

// maxTrackingID is how much of a tracking id a finding has.
const maxTrackingID = 100

func lostStep(step db.Tracked, format string) Finding {
	id := step.TrackingID
	if len(id) > maxTrackingID {
		id = id[:maxTrackingID] + "…"
	}
	return listed(step.Offset, step.Party, fmt.Sprintf(format, step.Kind, id, step.Requester))
}

// compareCounts looks for rows of listings without an entry. It counts all rows, so only a full audit calls it. If a
// prune ran at the same time, it finds only rows of offsets that the record never had.
func (a *Auditor) compareCounts(ctx context.Context, state *State) error {
	there, err := a.record.CountListed(ctx, state.Start, state.Offset)
	if err != nil {
		return err
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	should := map[string]int64{
		"completion_parties": state.listed.completions,
		"update_parties":     state.listed.updates,
		"tracked_requests":   state.listed.tracked,
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if outside := there[name].Outside; outside > 0 {
			state.report(listed(state.Offset, "", fmt.Sprintf("%s has %d entries of offsets that the record does not have",
				name, outside)))
		}
		if strays := there[name].Within - should[name]; strays > 0 && head.Pruned <= state.Start {
			state.report(listed(state.Offset, "", fmt.Sprintf("%s has %d entries more than the record accounts for",
				name, strays)))
		}
	}
	return nil
}
