package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
)

// listLimit is the --list-limit of the node of TestLedgerAPI_WorksEndToEnd.
const listLimit = 20

// sharedNode is the node of all parts of TestLedgerAPI_WorksEndToEnd; each part has its own parties and users.
type sharedNode struct {
	*servedNode
	dso  string
	coin client.Coin
}

func TestLedgerAPI_WorksEndToEnd(t *testing.T) {
	t.Parallel()
	s := sharedNode{servedNode: serve(t, "serve", install(t), "--list-limit", strconv.Itoa(listLimit))}
	s.dso = findDSO(t, s.endpoint)
	var err error
	s.coin, err = s.admin().FindCoin(t.Context(), s.dso)
	require.NoError(t, err)
	for name, part := range map[string]func(*testing.T, sharedNode){
		"allocates, mints, transfers and shows both completions": mainJob,
		"pings under both names of the package":                  ping,
		"commits all commands of a submission or none":           atomicCommands,
		"refuses keys where there are none":                      keys,
		"waits for the lower bound of ledger time":               minLedgerTime,
		"resumes completions from every offset":                  resumeCompletions,
		"refuses lists and bodies that are too long":             tooLong,
		"waits for completions as long as it is told":            idleTimeout,
		"hides why a token was refused":                          refusedTokens,
		"refuses users without rights":                           refusedUsers,
		"uses what the reading parties see":                      readAs,
		"uses contracts that others disclose":                    disclosedContracts,
		"lists users page by page":                               userPages,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, s)
		})
	}
}

func mainJob(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "job-alice", "job-alice")
	bob := newAccount(t, s.endpoint, "", "job-bob", "job-bob")
	require.NoError(t, s.admin().CreateUser(t.Context(), "job-both", alice.party(), client.CanReadAs(s.dso),
		client.CanActAs(alice.party()), client.CanActAs(bob.party())))

	require.NoError(t, alice.Submit(t.Context(), alice.tap(s.coin, "job-mint", 100)))
	minted := alice.awaitCompletion(t, "job-mint")
	require.Zero(t, minted.Status.Code, minted.Status.Message)
	require.NotEmpty(t, minted.UpdateID)
	holdings, err := alice.ActiveContracts(t.Context(), minted.Offset, alice.party(), client.AmuletTemplate)
	require.NoError(t, err)
	require.Len(t, holdings, 1)
	require.ElementsMatch(t, []string{s.dso, alice.party()}, holdings[0].Signatories)

	transfer := client.Commands{
		CommandID: "job-transfer", ActAs: []string{alice.party(), bob.party()}, ReadAs: []string{s.dso},
		Commands: []client.Command{s.coin.Transfer(alice.party(), []string{holdings[0].ContractID},
			client.Output{Receiver: bob.party(), Amount: "30.5"})},
	}
	transaction, err := s.as("job-both").SubmitAndWaitForTransaction(t.Context(), transfer)
	require.NoError(t, err)
	amounts := map[string]string{}
	for _, created := range transaction.Created(client.AmuletEntity) {
		payload, err := readHolding(created)
		require.NoError(t, err)
		amounts[payload.Owner] = payload.Amount.InitialAmount.Show()
	}
	require.Equal(t, map[string]string{alice.party(): "69.5", bob.party(): "30.5"}, amounts)

	// A reader gets the completions of its own user, for the requested parties.
	transferred := account{user: "job-both", parties: bob.parties, Client: s.as("job-both")}.awaitCompletion(t,
		"job-transfer")
	require.Equal(t, transaction.UpdateID, transferred.UpdateID)
	require.Equal(t, bob.parties, transferred.ActAs)
	end, err := bob.LedgerEnd(t.Context())
	require.NoError(t, err)
	his, err := bob.ActiveContracts(t.Context(), end, bob.party(), client.AmuletTemplate)
	require.NoError(t, err)
	require.Len(t, his, 1)
	hers, err := alice.ActiveContracts(t.Context(), end, alice.party(), client.AmuletTemplate)
	require.NoError(t, err)
	require.Len(t, hers, 1)
	require.NotEqual(t, holdings[0].ContractID, hers[0].ContractID, "the holding was spent")
	_, err = s.as("job-both").SubmitAndWait(t.Context(), transfer)
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(err))
	transfer.CommandID = "job-transfer-again"
	_, err = s.as("job-both").SubmitAndWait(t.Context(), transfer)
	require.Equal(t, "CONTRACT_NOT_FOUND", client.Code(err))
}

const pingEntity = ":Canton.Internal.Ping:Ping"

func pingCommand(template, id string, initiator, responder string) client.Command {
	return client.Command{Create: &client.Create{TemplateID: template, CreateArguments: map[string]string{
		"id": id, "initiator": initiator, "responder": responder,
	}}}
}

func respondCommand(template, contractID string) client.Command {
	return client.Command{Exercise: &client.Exercise{
		TemplateID: template, ContractID: contractID, Choice: "Respond", ChoiceArgument: map[string]string{},
	}}
}

func ping(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, "", "ping-alice", "ping-alice")
	bob := newAccount(t, s.endpoint, "", "ping-bob", "ping-bob")
	const now, before = "#canton-builtin-admin-workflow-ping" + pingEntity, "#AdminWorkflows" + pingEntity
	for i, names := range [][2]string{{now, before}, {before, now}, {now, ""}} {
		created, err := alice.SubmitAndWaitForTransaction(t.Context(), client.Commands{
			CommandID: fmt.Sprintf("ping-%d", i), ActAs: alice.parties,
			Commands: []client.Command{pingCommand(names[0], "try", alice.party(), bob.party())},
		})
		require.NoError(t, err)
		contracts := created.Created("Canton.Internal.Ping:Ping")
		require.Len(t, contracts, 1)
		require.Equal(t, "canton-builtin-admin-workflow-ping", contracts[0].PackageName)
		require.Equal(t, alice.parties, contracts[0].Signatories)
		require.Equal(t, bob.parties, contracts[0].Observers)
		respondAs := names[1]
		if respondAs == "" {
			respondAs = contracts[0].TemplateID // by package id
		}
		respond := client.Commands{
			CommandID: fmt.Sprintf("pong-%d", i), ActAs: alice.parties,
			Commands: []client.Command{respondCommand(respondAs, contracts[0].ContractID)},
		}
		_, err = alice.SubmitAndWait(t.Context(), respond)
		require.Equal(t, "DAML_AUTHORIZATION_ERROR", client.Code(err), "only the responder responds")
		respond.ActAs = bob.parties
		_, err = bob.SubmitAndWait(t.Context(), respond)
		require.NoError(t, err)
	}
	both := newAccount(t, s.endpoint, "", "ping-both", "ping-self")
	_, err := both.SubmitAndWait(t.Context(), client.Commands{
		CommandID: "at once", ActAs: both.parties,
		Commands: []client.Command{{CreateAndExercise: &client.CreateAndExercise{
			TemplateID: now, Choice: "Respond", ChoiceArgument: map[string]string{},
			CreateArguments: map[string]string{"id": "self", "initiator": both.party(), "responder": both.party()},
		}}},
	})
	require.NoError(t, err)
	end, err := both.LedgerEnd(t.Context())
	require.NoError(t, err)
	left, err := both.ActiveContracts(t.Context(), end, both.party())
	require.NoError(t, err)
	require.Empty(t, left)
}

func atomicCommands(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, "", "atomic", "atomic-a", "atomic-b")
	const template = "#AdminWorkflows" + pingEntity
	first, second := pingCommand(template, "one", alice.parties[0], alice.parties[1]),
		pingCommand(template, "two", alice.parties[1], alice.parties[0])
	commands := client.Commands{
		CommandID: "both", ActAs: alice.parties[:1], Commands: []client.Command{first, second},
	}
	_, err := alice.SubmitAndWait(t.Context(), commands)
	require.Equal(t, "DAML_AUTHORIZATION_ERROR", client.Code(err), "the second lacks its signatory")
	end, err := alice.LedgerEnd(t.Context())
	require.NoError(t, err)
	contracts, err := alice.ActiveContracts(t.Context(), end, alice.parties[0])
	require.NoError(t, err)
	require.Empty(t, contracts, "so the first has no effect either")

	commands.ActAs = alice.parties
	transaction, err := alice.SubmitAndWaitForTransaction(t.Context(), commands)
	require.NoError(t, err, "another change id: the parties differ")
	require.Len(t, transaction.Created("Canton.Internal.Ping:Ping"), 2)
}

func keys(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, "", "keys", "keys")
	_, err := alice.SubmitAndWait(t.Context(), client.Commands{
		CommandID: "by key", ActAs: alice.parties,
		Commands: []client.Command{{ExerciseByKey: &client.ExerciseByKey{
			TemplateID: "#AdminWorkflows" + pingEntity, ContractKey: map[string]string{"_1": alice.party()},
			Choice: "Respond", ChoiceArgument: map[string]string{},
		}}},
	})
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusBadRequest, refused.Status)
	require.Contains(t, refused.Cause, "key")
	require.Contains(t, refused.Cause, "Ping")
}

func minLedgerTime(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "later", "later")
	const seconds = 2
	later := map[string]any{
		"commandId": "later", "actAs": alice.parties, "readAs": []string{s.dso},
		"commands":         alice.tap(s.coin, "", 1).Commands,
		"minLedgerTimeRel": map[string]int{"seconds": seconds},
	}
	began := time.Now()
	var answer struct {
		Transaction struct {
			EffectiveAt time.Time `json:"effectiveAt"`
			RecordTime  time.Time `json:"recordTime"`
		} `json:"transaction"`
	}
	require.NoError(t, alice.Post(t.Context(), "/v2/commands/submit-and-wait-for-transaction",
		map[string]any{"commands": later}, &answer))
	earliest := began.Add(seconds * time.Second).Truncate(time.Microsecond)
	require.False(t, answer.Transaction.EffectiveAt.Before(earliest), answer.Transaction.EffectiveAt)
	require.GreaterOrEqual(t, time.Since(began), seconds*time.Second)

	later["commandId"], later["minLedgerTimeAbs"] = "both bounds", began.UTC().Format(time.RFC3339Nano)
	err := alice.Post(t.Context(), "/v2/commands/submit-and-wait", later, nil)
	require.Equal(t, "INVALID_ARGUMENT", client.Code(err))
}

func resumeCompletions(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "resume", "resume")
	const submissions = 5
	for i := range submissions {
		_, err := alice.SubmitAndWait(t.Context(), alice.tap(s.coin, fmt.Sprintf("resume-%d", i), 1))
		require.NoError(t, err)
	}
	read := func(after int64, limit int) ([]string, int64) {
		found, reached, err := alice.Completions(t.Context(), client.CompletionsRequest{
			Parties: alice.parties, BeginExclusive: after, Limit: limit, Idle: time.Millisecond,
		})
		require.NoError(t, err)
		var names []string
		for _, completion := range found {
			names = append(names, completion.CommandID)
		}
		return names, reached
	}
	names, reached := read(0, 2)
	require.Equal(t, []string{"resume-0", "resume-1"}, names)
	names, reached = read(reached, 2)
	require.Equal(t, []string{"resume-2", "resume-3"}, names)
	names, reached = read(reached, 0)
	require.Equal(t, []string{"resume-4"}, names)

	// When others submit, the checkpoint at the end is after the last completion.
	other := newAccount(t, s.endpoint, s.dso, "resume-other", "resume-other")
	outcome, err := other.SubmitAndWait(t.Context(), other.tap(s.coin, "resume-other", 1))
	require.NoError(t, err)
	names, checkpoint := read(reached, 0)
	require.Empty(t, names)
	require.GreaterOrEqual(t, checkpoint, outcome.CompletionOffset)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(s.coin, "resume-last", 1))
	require.NoError(t, err)
	names, _ = read(checkpoint, 0)
	require.Equal(t, []string{"resume-last"}, names)

	for offset, code := range map[int64]string{1 << 40: "OFFSET_AFTER_LEDGER_END", -1: "NEGATIVE_OFFSET"} {
		_, _, err := alice.Completions(t.Context(), client.CompletionsRequest{
			Parties: alice.parties, BeginExclusive: offset,
		})
		require.Equal(t, code, client.Code(err))
	}
}

func tooLong(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "many", "many")
	group, ctx := errgroup.WithContext(t.Context())
	for i := range listLimit + 1 {
		group.Go(func() error {
			_, err := alice.SubmitAndWait(ctx, alice.tap(s.coin, fmt.Sprintf("many-%d", i), 1))
			return err
		})
	}
	require.NoError(t, group.Wait())
	_, _, err := alice.Completions(t.Context(), client.CompletionsRequest{Parties: alice.parties})
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusRequestEntityTooLarge, refused.Status)
	require.Equal(t, "JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED", refused.Code)
	found, _, err := alice.Completions(t.Context(), client.CompletionsRequest{
		Parties: alice.parties, Limit: listLimit,
	})
	require.NoError(t, err)
	require.Len(t, found, listLimit, "a limit that the server allows cuts the list")

	status, body := s.post(t, alice.token(), "/v2/commands/completions", strings.Repeat(" ", 11<<20))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Contains(t, body, "10485760")
	status, body = s.post(t, alice.token(), "/v2/commands/completions?limit=many", `{"parties":[]}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "limit")
	status, _ = s.post(t, alice.token(), "/v2/commands/completions", `{`)
	require.Equal(t, http.StatusBadRequest, status)
}

// post sends a body, and returns status and body of the answer.
func (e endpoint) post(t *testing.T, token, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(answer)
}
