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

// listings are the results of comparing a page of entries with the listings.
type listings struct {
	completions, updates []db.Unlisted
	executions           []ledger.Offset
	missingParties       []Finding
	// steps are the states that the updates give to requests, in order. known are the states in the table.
	steps []db.Tracked
	known map[db.TrackedID]db.Tracked
	// expected counts the rows that completions and updates need.
	expected rowCounts
}

// rowCounts counts the entries of listings that belong to entries of the record.
type rowCounts struct{ completions, updates, tracked int64 }

// listings looks up a page of entries in the listings.
func (a *Auditor) listings(ctx context.Context, e entries, updates []ledger.Update, p *page) (l listings, err error) {
	for _, completion := range e.completions {
		l.expected.completions += int64(completion.Actors)
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
	l.expected.updates = int64(pairs)
	ids := make([]db.TrackedID, len(l.steps))
	for i, step := range l.steps {
		ids[i] = step.TrackedID
	}
	if l.known, err = a.record.TrackedStates(ctx, ids); err != nil {
		return l, err
	}
	l.missingParties, err = a.missingParties(ctx, updates)
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

// steps lists the states that an update gives to the requests of wallets, the last one for each request. It is empty
// for an unreadable update, which another check reports.
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

func (a *Auditor) missingParties(ctx context.Context, updates []ledger.Update) (lost []Finding, err error) {
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
				lost = append(lost, listedFinding(update.Offset, hosting.Party,
					"table parties lacks a party that this update allocates"))
			}
		}
	}
	return lost, err
}

func (l listings) examine(state *State) {
	for _, completion := range l.completions {
		l.expected.completions--
		state.report(listedFinding(completion.Offset, completion.Party,
			"table completion_parties lacks the completion of an acting party"))
	}
	for _, update := range l.updates {
		if update.OnlyHistory {
			state.report(listedFinding(update.Offset, update.Party,
				"table update_parties leaves the update out of the history of a party that it may concern"))
			continue
		}
		l.expected.updates--
		state.report(listedFinding(update.Offset, update.Party,
			"table update_parties lacks the update for a party that sees it"))
	}
	for _, offset := range l.executions {
		state.report(listedFinding(offset, "", "table executed_transactions lacks the signed transaction: somebody could "+
			"execute it again"))
	}
	state.report(l.missingParties...)
	for _, step := range l.steps {
		known, ok := l.known[step.TrackedID]
		switch {
		case !ok:
			state.report(requestFinding(step, "table tracked_requests lacks the %s %q of %s"))
		case known.Offset < step.Offset:
			state.report(requestFinding(step, "table tracked_requests has an earlier state of the %s %q of %s"))
		case known.Offset > step.Offset: // a later update changed it
		default:
			l.expected.tracked++
			if !bytes.Equal(known.State, step.State) {
				state.report(requestFinding(step, "table tracked_requests has a wrong state of the %s %q of %s"))
			}
		}
	}
	state.listings.completions += l.expected.completions
	state.listings.updates += l.expected.updates
	state.listings.tracked += l.expected.tracked
}

func listedFinding(offset ledger.Offset, party ledger.Party, detail string) Finding {
	return Finding{Rule: Listed, Offset: offset, Party: party, Detail: detail}
}

// maxTrackingID limits the length of a tracking id in a finding.
const maxTrackingID = 100

func requestFinding(step db.Tracked, format string) Finding {
	id := step.TrackingID
	if len(id) > maxTrackingID {
		id = id[:maxTrackingID] + "…"
	}
	return listedFinding(step.Offset, step.Party, fmt.Sprintf(format, step.Kind, id, step.Requester))
}

// compareCounts looks for listing rows without an entry. It counts all rows, so only a full audit calls it. If a prune
// ran at the same time, it reports only rows with offsets outside of the record.
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
		"completion_parties": state.listings.completions,
		"update_parties":     state.listings.updates,
		"tracked_requests":   state.listings.tracked,
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if outside := there[name].Outside; outside > 0 {
			state.report(listedFinding(state.Offset, "", fmt.Sprintf("table %s has %d rows with offsets outside of the record",
				name, outside)))
		}
		if strays := there[name].Within - should[name]; strays > 0 && head.Pruned <= state.Start {
			state.report(listedFinding(state.Offset, "", fmt.Sprintf("table %s has %d rows that no entry of the record explains",
				name, strays)))
		}
	}
	return nil
}
