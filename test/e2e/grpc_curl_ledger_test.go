//go:build long

package e2e_test

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
)

// The messages as grpcurl prints them: numbers of 64 bits are text.
type (
	printedCreated struct {
		ContractID, PackageName string

		TemplateID      struct{ PackageID, ModuleName, EntityName string }
		CreateArguments struct {
			RecordID object
			Fields   []printedField
		}
		AcsDelta       bool
		WitnessParties []string
	}
	printedField struct {
		Label string
		Value object
	}
	printedTransaction struct {
		UpdateID, CommandID, Offset string

		Events []struct {
			Created   *printedCreated
			Exercised *struct {
				ContractID, Choice string
				ExerciseResult     object
			}
		}
	}
	printedUpdate     struct{ Transaction *printedTransaction }
	printedCompletion struct {
		Completion struct {
			CommandID, UpdateID, UserID, Offset string
			Status                              *struct{ Code int }
		}
		OffsetCheckpoint *struct{ Offset string }
	}
)

// noteCommands have one command on a note of a party.
func noteCommands(party, commandID, kind string, command object) object {
	command["templateId"] = object{"packageId": "#grpc-notes", "moduleName": "N", "entityName": "Note"}
	return object{"commandId": commandID, "actAs": []string{party}, "commands": []object{{kind: command}}}
}

// createNote makes a note. The labels come in another order than in the package, and the last field is left out.
func createNote(party, commandID, text string) object {
	return noteCommands(party, commandID, "create", object{"createArguments": object{"fields": []object{
		{"label": "text", "value": object{"text": text}},
		{"label": "reader", "value": object{"party": party}},
		{"label": "owner", "value": object{"party": party}},
	}}})
}

func exerciseOnNote(party, commandID, contractID, choice string, fields ...object) object {
	return noteCommands(party, commandID, "exercise", object{
		"contractId": contractID, "choice": choice, "choiceArgument": object{"record": object{"fields": fields}},
	})
}

// commits commits contracts of a party, is refused others, and reads them all.
func (g grpcurl) commits(user, party string) {
	g.t.Helper()
	begin := g.end()
	first := g.submits(createNote(party, "first", "one"), nil)
	require.Len(g.t, first.Events, 1)
	made := first.Events[0].Created
	g.requireNote(made, party, "one", true)

	share := exerciseOnNote(party, "second", made.ContractID, "Share", object{"value": object{"party": party}})
	second := g.submits(share, allEffects(party, true))
	require.Len(g.t, second.Events, 2)
	exercised, shared := second.Events[0].Exercised, second.Events[1].Created
	require.Equal(g.t, "Share", exercised.Choice)
	require.Equal(g.t, made.ContractID, exercised.ContractID)
	require.Equal(g.t, object{"contractId": shared.ContractID}, exercised.ExerciseResult)
	g.requireNote(shared, party, "one+", true)
	third := g.submits(createNote(party, "third", "three"), nil)

	g.isRefused(party, made.ContractID, first)
	g.reads(party, begin, first, second, third)
	g.readsCompletions(user, party, begin, first, second, third)
}

// submits commits commands and returns their transaction; a nil format is the default one.
func (g grpcurl) submits(commands, format object) printedTransaction {
	g.t.Helper()
	request := object{"commands": commands}
	if format != nil {
		request["transactionFormat"] = format
	}
	done := messageOf[printedUpdate](g, grpcBase+"CommandService/SubmitAndWaitForTransaction", request)
	require.NotNil(g.t, done.Transaction)
	require.Equal(g.t, commands["commandId"], done.Transaction.CommandID)
	return *done.Transaction
}

func (g grpcurl) end() string {
	g.t.Helper()
	return messageOf[struct{ Offset string }](g, grpcBase+"StateService/GetLedgerEnd", object{}).Offset
}

func eventFormat(party string, verbose bool) object {
	return object{"filtersByParty": object{party: object{}}, "verbose": verbose}
}

func allEffects(party string, verbose bool) object {
	return object{"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS", "eventFormat": eventFormat(party, verbose)}
}

// requireNote checks a created note. Labels and record ids are there if the format is verbose; the None at the end never
// is.
func (g grpcurl) requireNote(created *printedCreated, party, text string, verbose bool) {
	g.t.Helper()
	require.NotNil(g.t, created)
	require.Equal(g.t, "grpc-notes", created.PackageName)
	require.Equal(g.t, "Note", created.TemplateID.EntityName)
	require.Len(g.t, created.TemplateID.PackageID, 64, "answers have the package id")
	require.Equal(g.t, []string{party}, created.WitnessParties)
	require.True(g.t, created.AcsDelta)
	fields := []printedField{
		{"owner", object{"party": party}}, {"reader", object{"party": party}}, {"text", object{"text": text}},
	}
	id := object{"packageId": created.TemplateID.PackageID, "moduleName": "N", "entityName": "Note"}
	if !verbose {
		id = nil
		for i := range fields {
			fields[i].Label = ""
		}
	}
	require.Equal(g.t, fields, created.CreateArguments.Fields)
	require.Equal(g.t, id, created.CreateArguments.RecordID)
}

// isRefused submits and asks for what a node refuses, and reads the details of each error.
func (g grpcurl) isRefused(party, archived string, first printedTransaction) {
	g.t.Helper()
	const submit = grpcBase + "CommandService/SubmitAndWaitForTransaction"
	lost := object{"commands": exerciseOnNote(party, "lost", archived, "Archive")}
	said := g.refuses(codes.NotFound, "CONTRACT_NOT_FOUND", submit, lost)
	require.Contains(g.t, said, `"resourceType": "CONTRACT_ID"`)
	require.Contains(g.t, said, `"resourceName": "`+archived+`"`)
	again := object{"commands": createNote(party, "first", "one")}
	said = g.refuses(codes.AlreadyExists, "DUPLICATE_COMMAND", submit, again)
	require.Contains(g.t, said, `"completion_offset": "`+first.Offset+`"`)
	for method, field := range map[string]string{
		"StateService/GetActiveContracts": "event_format", "UpdateService/GetUpdates": "update_format",
	} {
		said = g.refuses(codes.InvalidArgument, "MISSING_FIELD", grpcBase+method, object{})
		require.Contains(g.t, said, `"field_name": "`+field+`"`)
	}
	_, said = g.call(codes.PermissionDenied, grpcBase+"admin.PartyManagementService/AllocateParty",
		object{"partyIdHint": "bob"})
	require.Contains(g.t, said, "Code: PermissionDenied")
}

// reads reads the active contracts and the updates.
func (g grpcurl) reads(party, begin string, first, second, third printedTransaction) {
	g.t.Helper()
	end := g.end()
	active := messagesOf[struct {
		ActiveContract struct{ CreatedEvent *printedCreated }
	}](
		g, grpcBase+"StateService/GetActiveContracts",
		object{"activeAtOffset": end, "eventFormat": eventFormat(party, false)})
	require.Len(g.t, active, 2)
	g.requireNote(active[0].ActiveContract.CreatedEvent, party, "one+", false)
	g.requireNote(active[1].ActiveContract.CreatedEvent, party, "three", false)

	updates := messagesOf[printedUpdate](g, grpcBase+"UpdateService/GetUpdates", object{
		"beginExclusive": begin, "endInclusive": end,
		"updateFormat": object{"includeTransactions": allEffects(party, true)},
	})
	require.Len(g.t, updates, 3)
	for i, expected := range []printedTransaction{first, second, third} {
		require.Equal(g.t, &expected, updates[i].Transaction)
	}
}

// readsCompletions reads completions until the deadline of the call, because their stream has no end.
func (g grpcurl) readsCompletions(user, party, begin string, committed ...printedTransaction) {
	g.t.Helper()
	request, err := json.Marshal(object{"parties": []string{party}, "beginExclusive": begin})
	require.NoError(g.t, err)
	printed, said, code := g.run(string(request), []string{"-max-time", "2", "-d", "@"},
		grpcBase+"CommandCompletionService/CompletionStream")
	// The node resets the stream at the deadline, perhaps shortly before grpcurl's own timer.
	require.Contains(g.t, []int{grpcurlExit(codes.DeadlineExceeded), grpcurlExit(codes.Canceled)}, code, said)
	var accepted []printedCompletion
	var refused []int
	checkpoints := 0
	for _, element := range decodeAll[printedCompletion](g.t, printed) {
		switch {
		case element.OffsetCheckpoint != nil:
			checkpoints++
			require.Equal(g.t, g.end(), element.OffsetCheckpoint.Offset)
		case element.Completion.Status.Code != 0:
			refused = append(refused, element.Completion.Status.Code)
			require.Empty(g.t, element.Completion.UpdateID)
		default:
			accepted = append(accepted, element)
		}
	}
	require.Equal(g.t, 1, checkpoints, "the first one comes after half a second")
	require.Equal(g.t, []int{int(codes.NotFound), int(codes.AlreadyExists)}, refused)
	require.Len(g.t, accepted, len(committed))
	for i, transaction := range committed {
		completion := accepted[i].Completion
		require.Equal(g.t, user, completion.UserID)
		require.Equal(g.t, transaction.CommandID, completion.CommandID)
		require.Equal(g.t, transaction.UpdateID, completion.UpdateID)
		require.Equal(g.t, transaction.Offset, completion.Offset)
	}
}
