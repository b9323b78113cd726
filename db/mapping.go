package db

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// This file turns rows into domain types (fromDB…) and back (toDB…). Rows that are written in bulk travel as one list
// for each column.

func fromDBNode(row dbgen.GetNodeRow) ledger.Node {
	return ledger.Node{
		ParticipantID:  row.ParticipantID,
		SynchronizerID: row.SynchronizerID,
		Namespace:      row.Namespace,
		DSO:            ledger.Party(row.Dso),
		Operator:       ledger.Party(row.Operator),
		OperatorUser:   row.OperatorUser,
		PrivateKey:     row.PrivateKey,
	}
}

func toDBNode(node ledger.Node) dbgen.InsertNodeParams {
	return dbgen.InsertNodeParams{
		ParticipantID:  node.ParticipantID,
		SynchronizerID: node.SynchronizerID,
		Namespace:      node.Namespace,
		Dso:            string(node.DSO),
		Operator:       string(node.Operator),
		OperatorUser:   node.OperatorUser,
		PrivateKey:     node.PrivateKey,
	}
}

func fromDBContract(row dbgen.Contract) (StoredContract, error) {
	template, err := lf.ParseTypeName(row.TemplateID)
	if err != nil {
		return StoredContract{}, unreadable(fmt.Errorf("reading contract %s: %w", row.ContractID, err))
	}
	contract := StoredContract{
		Contract: ledger.Contract{
			ID:          row.ContractID,
			Template:    template,
			PackageName: row.PackageName,
			Payload:     row.Payload,
			Signatories: fromDBParties(row.Signatories),
			Observers:   fromDBParties(row.Observers),
			CreatedAt:   row.CreatedAt,
			InNetwork:   row.InNetwork,
		},
		Offset:   row.CreatedOffset,
		NodeID:   row.CreatedNodeID,
		Archived: (*ledger.Offset)(row.ArchivedOffset),
	}
	if row.KeyHash != nil {
		contract.Key = &ledger.ContractKey{
			Value:       row.KeyValue,
			Hash:        *row.KeyHash,
			Maintainers: fromDBParties(row.Maintainers),
		}
	}
	return contract, nil
}

func fromDBContracts(rows []dbgen.Contract) ([]StoredContract, error) {
	contracts := make([]StoredContract, len(rows))
	for i, row := range rows {
		var err error
		if contracts[i], err = fromDBContract(row); err != nil {
			return nil, err
		}
	}
	return contracts, nil
}

// toDBNewContracts takes the offsets of archivals too: a contract that is archived by the commit that creates it is
// never active.
func toDBNewContracts(
	created []NewContract, archived map[ledger.ContractID]ledger.Offset,
) dbgen.InsertContractsParams {
	var rows dbgen.InsertContractsParams
	for _, contract := range created {
		key := ledger.ContractKey{}
		if contract.Key != nil {
			key = *contract.Key
		}
		rows.ContractIds = append(rows.ContractIds, string(contract.ID))
		rows.CreatedOffsets = append(rows.CreatedOffsets, int64(contract.Offset))
		rows.CreatedNodeIds = append(rows.CreatedNodeIds, contract.NodeID)
		rows.ArchivedOffsets = append(rows.ArchivedOffsets, int64(archived[contract.ID]))
		rows.TemplateIds = append(rows.TemplateIds, contract.Template.String())
		rows.PackageNames = append(rows.PackageNames, contract.PackageName)
		rows.Payloads = append(rows.Payloads, string(contract.Payload))
		rows.Signatories = append(rows.Signatories, toDBArray(contract.Signatories))
		rows.Observers = append(rows.Observers, toDBArray(contract.Observers))
		rows.KeyValues = append(rows.KeyValues, string(key.Value))
		rows.KeyHashes = append(rows.KeyHashes, key.Hash)
		rows.Maintainers = append(rows.Maintainers, toDBArray(key.Maintainers))
		rows.CreatedAts = append(rows.CreatedAts, contract.CreatedAt)
		rows.InNetworks = append(rows.InNetworks, contract.InNetwork)
	}
	return rows
}

func toDBArchivals(archived map[ledger.ContractID]ledger.Offset) dbgen.ArchiveContractsParams {
	var rows dbgen.ArchiveContractsParams
	for contract, offset := range archived {
		rows.ContractIds = append(rows.ContractIds, string(contract))
		rows.ArchivedOffsets = append(rows.ArchivedOffsets, int64(offset))
	}
	return rows
}

func fromDBUpdate(row dbgen.Update) (ledger.Update, error) {
	update := ledger.Update{
		Offset:          row.LedgerOffset,
		ID:              ledger.UpdateID(row.UpdateID),
		RecordTime:      row.RecordTime,
		EffectiveAt:     row.EffectiveAt,
		UserID:          row.UserID,
		CommandID:       row.CommandID,
		WorkflowID:      row.WorkflowID,
		ActAs:           fromDBParties(row.ActAs),
		Trace:           ledger.TraceContext{Traceparent: row.Traceparent, Tracestate: row.Tracestate},
		PaidTrafficCost: row.PaidTrafficCost,
	}
	if row.ExternalHash != nil {
		update.ExternalHash = *row.ExternalHash
	}
	if err := json.Unmarshal(row.Events, &update.Events); err != nil {
		return update, unreadable(fmt.Errorf("reading the events of the update at offset %d: %w", row.LedgerOffset, err))
	}
	if row.Topology != nil {
		if err := json.Unmarshal(row.Topology, &update.Topology); err != nil {
			return update, unreadable(fmt.Errorf("reading the topology of the update at offset %d: %w", row.LedgerOffset, err))
		}
	}
	if row.Vetting != nil {
		if err := json.Unmarshal(row.Vetting, &update.Vetting); err != nil {
			return update, unreadable(fmt.Errorf("reading the vetting of the update at offset %d: %w", row.LedgerOffset, err))
		}
	}
	return update, nil
}

func fromDBUpdates(rows []dbgen.Update) ([]ledger.Update, error) {
	updates := make([]ledger.Update, len(rows))
	for i, row := range rows {
		var err error
		if updates[i], err = fromDBUpdate(row); err != nil {
			return nil, err
		}
	}
	return updates, nil
}

// toDBUpdateParties lists each update once for each party that witnesses any of its events or is hosted by it.
func toDBUpdateParties(entries Entries) dbgen.InsertUpdatePartiesParams {
	var rows dbgen.InsertUpdatePartiesParams
	for _, update := range entries.Updates {
		var lists [][]ledger.Party
		for _, event := range update.Events {
			lists = append(lists, event.Witnesses)
		}
		for _, hosting := range update.Topology {
			lists = append(lists, []ledger.Party{hosting.Party})
		}
		readers, hasHistory := entries.History[update.Offset]
		isReader := make(map[ledger.Party]bool, len(readers))
		for _, party := range readers {
			isReader[party] = true
		}
		for _, party := range ledger.SortedParties(lists...) {
			rows.InHistories = append(rows.InHistories, len(update.Events) > 0 && (!hasHistory || isReader[party]))
			rows.Parties = append(rows.Parties, string(party))
			rows.LedgerOffsets = append(rows.LedgerOffsets, int64(update.Offset))
		}
	}
	return rows
}

func fromDBCompletion(row dbgen.Completion) (ledger.Completion, error) {
	completion := ledger.Completion{
		Offset:          row.LedgerOffset,
		Key:             row.SubmissionKey,
		ChangeID:        ledger.ChangeID(row.ChangeID),
		Identity:        ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.UserID},
		CommandID:       row.CommandID,
		SubmissionID:    row.SubmissionID,
		ActAs:           fromDBParties(row.ActAs),
		Trace:           ledger.TraceContext{Traceparent: row.Traceparent, Tracestate: row.Tracestate},
		RecordTime:      row.RecordTime,
		PaidTrafficCost: row.PaidTrafficCost,
	}
	if len(row.ReadAs) > 0 {
		completion.ReadAs = fromDBParties(row.ReadAs)
	}
	if row.ExternalHash != nil {
		completion.ExternalHash = *row.ExternalHash
	}
	completion.Deduplication.Offset = (*ledger.Offset)(row.DedupOffset)
	if row.DedupDuration != nil {
		duration := time.Duration(*row.DedupDuration) * time.Microsecond
		completion.Deduplication.Duration = &duration
	}
	if row.UpdateID != nil {
		completion.UpdateID = ledger.UpdateID(*row.UpdateID)
		return completion, nil
	}
	completion.Refusal = &fault.Fault{}
	if err := json.Unmarshal(row.Refusal, completion.Refusal); err != nil {
		return completion, unreadable(
			fmt.Errorf("reading the refusal of the completion at offset %d: %w", row.LedgerOffset, err))
	}
	return completion, nil
}

func fromDBCompletions(rows []dbgen.Completion) ([]ledger.Completion, error) {
	completions := make([]ledger.Completion, len(rows))
	for i, row := range rows {
		var err error
		if completions[i], err = fromDBCompletion(row); err != nil {
			return nil, err
		}
	}
	return completions, nil
}

func fromDBChanges(rows []dbgen.ListChangesRow) map[ledger.ChangeID]Change {
	changes := make(map[ledger.ChangeID]Change, len(rows))
	for _, row := range rows {
		changes[ledger.ChangeID(row.ChangeID)] = Change{row.LedgerOffset, row.RecordTime, row.SubmissionID}
	}
	return changes
}

func fromDBUser(row dbgen.User) (ledger.User, error) {
	user := ledger.User{
		ID:                         row.ID,
		PrimaryParty:               ledger.Party(row.PrimaryParty),
		IsDeactivated:              row.IsDeactivated,
		ResourceVersion:            row.ResourceVersion,
		IdentityProviderID:         row.IdentityProviderID,
		PrimaryPartyAuthentication: row.PrimaryPartyAuthentication,
	}
	if err := json.Unmarshal(row.Annotations, &user.Annotations); err != nil {
		return user, unreadable(fmt.Errorf("reading the annotations of user %q: %w", row.ID, err))
	}
	return user, nil
}

func fromDBParty(row dbgen.Party) (ledger.PartyDetails, error) {
	details := ledger.PartyDetails{
		Party:              row.Party,
		IsLocal:            row.IsLocal,
		ResourceVersion:    row.ResourceVersion,
		IdentityProviderID: row.IdentityProviderID,
	}
	if err := json.Unmarshal(row.Annotations, &details.Annotations); err != nil {
		return details, unreadable(fmt.Errorf("reading the annotations of party %q: %w", row.Party, err))
	}
	return details, nil
}

// fromDBParties returns nil for no parties, as the domain does.
func fromDBParties(list []string) []ledger.Party {
	if len(list) == 0 {
		return nil
	}
	return ledger.FromStrings[ledger.Party](list)
}

func toDBAnnotations(annotations map[string]string) ([]byte, error) {
	if len(annotations) == 0 {
		return []byte("{}"), nil
	}
	return json.Marshal(annotations)
}

func fromDBKnownParties(rows []dbgen.ListKnownPartiesRow) map[ledger.Party]bool {
	known := make(map[ledger.Party]bool, len(rows))
	for _, row := range rows {
		known[row.Party] = row.IsLocal
	}
	return known
}

func toDBJSON(value any) (string, error) {
	text, err := ledger.EncodePlain(value)
	return string(text), err
}

// toDBArray writes an array literal. Lists of different lengths cannot travel as one array of arrays.
func toDBArray(parties []ledger.Party) string {
	var literal strings.Builder
	literal.WriteByte('{')
	for i, party := range parties {
		if i > 0 {
			literal.WriteByte(',')
		}
		literal.WriteByte('"')
		literal.WriteString(arrayEscaper.Replace(string(party)))
		literal.WriteByte('"')
	}
	literal.WriteByte('}')
	return literal.String()
}

var arrayEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// toDBText drops the NUL characters, which PostgreSQL cannot store. They can only come from a client's trace context,
// and one client's broken header must not fail the commit of others.
func toDBText(text string) string { return strings.ReplaceAll(text, "\x00", "") }
