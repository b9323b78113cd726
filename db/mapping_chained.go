package db

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// This file makes the rows of the chain. The audit computes a digest from the row that it reads, so the code makes the
// whole row first and then splits it into one list for each column. If a column is missing in either, the next audit
// finds it.

// chainedRows are the rows that a commit adds to the chain.
type chainedRows struct {
	updates     dbgen.InsertUpdatesParams
	completions dbgen.InsertCompletionsParams
	// head is the hash of the last row, or, without rows, the hash that they follow.
	head Hash
}

// chain makes the rows of entries that follow an entry with this hash.
func chain(follows Hash, entries Entries) (rows chainedRows, err error) {
	updates := make(map[ledger.Offset]Hash, len(entries.Updates))
	if rows.updates, err = toDBUpdates(entries.Updates, updates); err != nil {
		return rows, err
	}
	completions := make(map[ledger.Offset]Hash, len(entries.Completions))
	if rows.completions, err = toDBCompletions(entries.Completions, completions); err != nil {
		return rows, err
	}
	offsets := slices.AppendSeq(slices.Collect(maps.Keys(updates)), maps.Keys(completions))
	slices.Sort(offsets)
	rows.head = follows
	hashes := make(map[ledger.Offset]Hash, len(offsets))
	for _, offset := range slices.Compact(offsets) {
		rows.head = rows.head.Next(offset, updates[offset], completions[offset])
		hashes[offset] = rows.head
	}
	for _, update := range entries.Updates {
		rows.updates.Hashes = append(rows.updates.Hashes, bytesOf(hashes[update.Offset]))
	}
	for _, completion := range entries.Completions {
		rows.completions.Hashes = append(rows.completions.Hashes, bytesOf(hashes[completion.Offset]))
	}
	return rows, nil
}

func bytesOf(hash Hash) []byte { return hash[:] }

// toDBUpdate makes the row of an update as it will be read again, without its hash.
func toDBUpdate(update ledger.Update) (dbgen.Update, error) {
	row := dbgen.Update{
		LedgerOffset:    update.Offset,
		UpdateID:        string(update.ID),
		RecordTime:      update.RecordTime.UTC().Truncate(time.Microsecond),
		EffectiveAt:     update.EffectiveAt.UTC().Truncate(time.Microsecond),
		UserID:          update.UserID,
		CommandID:       update.CommandID,
		WorkflowID:      update.WorkflowID,
		ActAs:           ledger.Strings(update.ActAs),
		Traceparent:     toDBText(update.Trace.Traceparent),
		Tracestate:      toDBText(update.Trace.Tracestate),
		PaidTrafficCost: update.PaidTrafficCost,
		ExternalHash:    orNull(update.ExternalHash),
	}
	row.Events = update.EncodedEvents
	if row.Events == nil {
		events, err := ledger.EncodeEvents(update.Events)
		if err != nil {
			return row, unreadable(fmt.Errorf("writing the update at offset %d: %w", update.Offset, err))
		}
		row.Events = events
	}
	if len(update.Topology) > 0 {
		topology, err := toDBJSON(update.Topology)
		if err != nil {
			return row, unreadable(fmt.Errorf("writing the topology of the update at offset %d: %w", update.Offset, err))
		}
		row.Topology = []byte(topology)
	}
	if len(update.Vetting) > 0 {
		vetting, err := toDBJSON(update.Vetting)
		if err != nil {
			return row, unreadable(fmt.Errorf("writing the vetting of the update at offset %d: %w", update.Offset, err))
		}
		row.Vetting = []byte(vetting)
	}
	return row, nil
}

// toDBUpdates makes the rows of updates, without their hashes, and notes their digests.
func toDBUpdates(updates []ledger.Update, digests map[ledger.Offset]Hash) (dbgen.InsertUpdatesParams, error) {
	var rows dbgen.InsertUpdatesParams
	for _, update := range updates {
		row, err := toDBUpdate(update)
		if err != nil {
			return rows, err
		}
		if digests[update.Offset], err = digestOfUpdate(row); err != nil {
			return rows, fmt.Errorf("hashing the update at offset %d: %w", update.Offset, err)
		}
		rows.LedgerOffsets = append(rows.LedgerOffsets, int64(row.LedgerOffset))
		rows.UpdateIds = append(rows.UpdateIds, row.UpdateID)
		rows.RecordTimes = append(rows.RecordTimes, row.RecordTime)
		rows.EffectiveAts = append(rows.EffectiveAts, row.EffectiveAt)
		rows.UserIds = append(rows.UserIds, row.UserID)
		rows.CommandIds = append(rows.CommandIds, row.CommandID)
		rows.WorkflowIds = append(rows.WorkflowIds, row.WorkflowID)
		rows.ActAs = append(rows.ActAs, toDBArray(update.ActAs))
		rows.Traceparents = append(rows.Traceparents, row.Traceparent)
		rows.Tracestates = append(rows.Tracestates, row.Tracestate)
		rows.PaidTrafficCosts = append(rows.PaidTrafficCosts, row.PaidTrafficCost)
		rows.Events = append(rows.Events, string(row.Events))
		rows.Topologies = append(rows.Topologies, string(row.Topology))
		rows.Vettings = append(rows.Vettings, string(row.Vetting))
		rows.ExternalHashes = append(rows.ExternalHashes, update.ExternalHash)
	}
	return rows, nil
}

// toDBCompletion makes the row of a completion as it will be read again, without its digest and hash.
func toDBCompletion(completion ledger.Completion) (dbgen.Completion, error) {
	row := dbgen.Completion{
		LedgerOffset:       completion.Offset,
		SubmissionKey:      completion.Key,
		ChangeID:           string(completion.ChangeID),
		IdentityProviderID: completion.IdentityProviderID,
		UserID:             completion.UserID,
		CommandID:          completion.CommandID,
		SubmissionID:       completion.SubmissionID,
		ActAs:              ledger.Strings(completion.ActAs),
		UpdateID:           orNull(string(completion.UpdateID)),
		DedupOffset:        (*int64)(completion.Deduplication.Offset),
		Traceparent:        toDBText(completion.Trace.Traceparent),
		Tracestate:         toDBText(completion.Trace.Tracestate),
		RecordTime:         completion.RecordTime.UTC().Truncate(time.Microsecond),
		PaidTrafficCost:    completion.PaidTrafficCost,
		ExternalHash:       orNull(completion.ExternalHash),
	}
	if len(completion.ReadAs) > 0 {
		row.ReadAs = ledger.Strings(completion.ReadAs)
	}
	if duration := completion.Deduplication.Duration; duration != nil {
		microseconds := duration.Microseconds()
		row.DedupDuration = &microseconds
	}
	if completion.Refusal != nil {
		refusal, err := toDBJSON(completion.Refusal)
		if err != nil {
			return row, unreadable(fmt.Errorf("cannot encode the refusal of command %q: %w", completion.CommandID, err))
		}
		row.Refusal = []byte(refusal)
	}
	return row, nil
}

// toDBCompletions makes the rows of completions, without their hashes, and notes their digests.
func toDBCompletions(
	completions []ledger.Completion, digests map[ledger.Offset]Hash,
) (dbgen.InsertCompletionsParams, error) {
	const none = -1
	var rows dbgen.InsertCompletionsParams
	for _, completion := range completions {
		row, err := toDBCompletion(completion)
		if err != nil {
			return rows, err
		}
		digest, err := digestOfCompletion(row)
		if err != nil {
			return rows, fmt.Errorf("hashing the completion at offset %d: %w", completion.Offset, err)
		}
		digests[completion.Offset] = digest
		rows.LedgerOffsets = append(rows.LedgerOffsets, int64(row.LedgerOffset))
		rows.SubmissionKeys = append(rows.SubmissionKeys, row.SubmissionKey)
		rows.ChangeIds = append(rows.ChangeIds, row.ChangeID)
		rows.IdentityProviderIds = append(rows.IdentityProviderIds, row.IdentityProviderID)
		rows.UserIds = append(rows.UserIds, row.UserID)
		rows.CommandIds = append(rows.CommandIds, row.CommandID)
		rows.SubmissionIds = append(rows.SubmissionIds, row.SubmissionID)
		rows.ActAs = append(rows.ActAs, toDBArray(completion.ActAs))
		rows.ReadAs = append(rows.ReadAs, toDBArray(completion.ReadAs))
		rows.Refusals = append(rows.Refusals, string(row.Refusal))
		rows.UpdateIds = append(rows.UpdateIds, string(completion.UpdateID))
		rows.DedupOffsets = append(rows.DedupOffsets, orElse(row.DedupOffset, none))
		rows.DedupDurations = append(rows.DedupDurations, orElse(row.DedupDuration, none))
		rows.Traceparents = append(rows.Traceparents, row.Traceparent)
		rows.Tracestates = append(rows.Tracestates, row.Tracestate)
		rows.RecordTimes = append(rows.RecordTimes, row.RecordTime)
		rows.PaidTrafficCosts = append(rows.PaidTrafficCosts, row.PaidTrafficCost)
		rows.ExternalHashes = append(rows.ExternalHashes, completion.ExternalHash)
		rows.Digests = append(rows.Digests, digest[:])
	}
	return rows, nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orElse(value *int64, otherwise int64) int64 {
	if value == nil {
		return otherwise
	}
	return *value
}
