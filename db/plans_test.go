package db_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// PostgreSQL makes the plans on empty tables without statistics, as on a fresh node: the worst moment. They must use
// these indexes, because connections keep the plans while the tables grow.
func TestQueries_UseTheirIndexes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		query   string
		indexes []string
	}{
		"ListCompletions": {dbgen.ListCompletions, []string{"completion_parties_once", "completions_offset_unique"}},
		"ListCompletionsOfParties": {
			dbgen.ListCompletionsOfParties, []string{"completion_parties_of_all_users", "completions_offset_unique"},
		},
		"ListCompletionsByKey": {dbgen.ListCompletionsByKey, []string{"completions_one_per_submission"}},
		"ListKeyed":            {dbgen.ListKeyed, []string{"completions_keyed_commands", "completions_keyed_submissions"}},
		"ListChanges":          {dbgen.ListChanges, []string{"completions_accepted_changes"}},
		"GetUpdate":            {dbgen.GetUpdate, []string{"updates_offset_unique"}},
		"GetUpdateByID":        {dbgen.GetUpdateByID, []string{"updates_id_unique"}},
		"ListWorkflowIDs":      {dbgen.ListWorkflowIDs, []string{"updates_offset_unique"}},
		"ListCauses":           {dbgen.ListCauses, []string{"contracts_id_unique", "updates_offset_unique"}},
		"ListUpdates":          {dbgen.ListUpdates, []string{"updates_offset_unique"}},
		"ListUpdatesDescending": {
			dbgen.ListUpdatesDescending, []string{"updates_offset_unique"},
		},
		"ListUpdatesOfParties": {
			dbgen.ListUpdatesOfParties, []string{"update_parties_once", "updates_offset_unique"},
		},
		"ListUpdatesOfPartiesDescending": {
			dbgen.ListUpdatesOfPartiesDescending, []string{"update_parties_once", "updates_offset_unique"},
		},
		"ListHistory":        {dbgen.ListHistory, []string{"update_parties_history", "updates_offset_unique"}},
		"ListContracts":      {dbgen.ListContracts, []string{"contracts_id_unique"}},
		"ListContractsByKey": {dbgen.ListContractsByKey, []string{"contracts_active_key_unique"}},
		"ArchiveContracts": {
			dbgen.ArchiveContracts, []string{"contracts_id_unique", "active_contracts_position_unique"},
		},
		"ListActive":            {dbgen.ListActive, []string{"contracts_active"}},
		"ListActiveOfTemplates": {dbgen.ListActiveOfTemplates, []string{"contracts_active_by_template"}},
		"ListActiveOfParties": {
			dbgen.ListActiveOfParties, []string{"active_contracts_position_unique", "contracts_id_unique"},
		},
		"ListActiveOfPartiesAndTemplates": {
			dbgen.ListActiveOfPartiesAndTemplates, []string{"active_contracts_by_template", "contracts_id_unique"},
		},
		"CountMade":          {dbgen.CountMade, []string{"active_contracts_by_maker"}},
		"ListMakers":         {dbgen.ListMakers, []string{"active_contracts_by_maker"}},
		"ListNewestOfMakers": {dbgen.ListNewestOfMakers, []string{"active_contracts_by_maker"}},
		"ListArchivedSince":  {dbgen.ListArchivedSince, []string{"contracts_archived", "contracts_lifetimes"}},
		"PruneUpdates":       {dbgen.PruneUpdates, []string{"updates_offset_unique", "update_parties_once"}},
		"PruneCompletions": {dbgen.PruneCompletions, []string{
			"completions_offset_unique", "completions_accepted_changes", "completion_parties_once",
		}},
		"TakeDueLifecycles": {dbgen.TakeDueLifecycles, []string{
			"lifecycles_called", "lifecycles_called_turns", "lifecycles_one_per_workflow",
			"lifecycles_uncalled", "lifecycles_uncalled_turns",
		}},
		"NextDue":         {dbgen.NextDue, []string{"lifecycles_due"}},
		"ListOverdue":     {dbgen.ListOverdue, []string{"lifecycles_due"}},
		"ListLifecycles":  {dbgen.ListLifecycles, []string{"lifecycles_one_per_workflow"}},
		"TouchLifecycles": {dbgen.TouchLifecycles, []string{"lifecycles_one_per_workflow"}},
		"ListFullHolders": {dbgen.ListFullHolders, []string{
			"contracts_active_by_template", "active_contracts_by_template",
		}},
		"WakeLifecycles": {dbgen.WakeLifecycles, []string{"lifecycles_one_per_workflow"}},
		"EnterTasks": {dbgen.EnterTasks, []string{
			"active_contracts_by_template", "automation_settings_one_per_wallet",
		}},
		"ListDueAutomations": {dbgen.ListDueAutomations, []string{"automation_tasks_due", "automations_one_per_kind"}},
		"TakeTasks": {dbgen.TakeTasks, []string{
			"automation_tasks_due", "automation_tasks_held", "automation_tasks_one_per_subject", "automation_tasks_turns",
		}},
		"OldestTask":         {dbgen.OldestTask, []string{"automation_tasks_due", "automations_one_per_kind"}},
		"OldestLifecycle":    {dbgen.OldestLifecycle, []string{"lifecycles_due"}},
		"ListSubmittersAt":   {dbgen.ListSubmittersAt, []string{"completions_offset_unique"}},
		"HoldsDueTasks":      {dbgen.HoldsDueTasks, []string{"automation_tasks_held"}},
		"ListPlanned":        {dbgen.ListPlanned, []string{"automation_tasks_pending"}},
		"WakeTasks":          {dbgen.WakeTasks, []string{"automation_tasks_prices"}},
		"RetryTasks":         {dbgen.RetryTasks, []string{"automation_tasks_spends", "automation_tasks_one_per_subject"}},
		"SettleTasks":        {dbgen.SettleTasks, []string{"automation_tasks_one_per_subject"}},
		"EndTasks":           {dbgen.EndTasks, []string{"automation_tasks_one_per_subject"}},
		"NextDeadline":       {dbgen.NextDeadline, []string{"automation_tasks_deadlines"}},
		"ListTroubles":       {dbgen.ListTroubles, []string{"automation_tasks_in_trouble"}},
		"NudgeTasks":         {dbgen.NudgeTasks, []string{"automation_tasks_in_trouble"}},
		"SumActivity":        {dbgen.SumActivity, []string{"contracts_active_of_round"}},
		"ListOfRound":        {dbgen.ListOfRound, []string{"contracts_active_of_round"}},
		"ListHeld":           {dbgen.ListHeld, []string{"contracts_held"}},
		"ListHeldLeastFirst": {dbgen.ListHeldLeastFirst, []string{"contracts_held"}},
		"ListNewestHeld":     {dbgen.ListNewestHeld, []string{"contracts_held"}},
		"SumHeld":            {dbgen.SumHeld, []string{"contracts_held"}},
		"ListOffered":        {dbgen.ListOffered, []string{"contracts_offered"}},
		"ListMergeDelegations": {
			dbgen.ListMergeDelegations, []string{"contracts_merge_delegations"},
		},
		"ListDust":       {dbgen.ListDust, []string{"contracts_dust"}},
		"PruneContracts": {dbgen.PruneContracts, []string{"contracts_archived", "contracts_id_unique"}},
		"ListTouchedParties": {
			dbgen.ListTouchedParties, []string{"completions_offset_unique", "updates_offset_unique"},
		},
		"ListExecutedTransactions": {dbgen.ListExecutedTransactions, []string{"executed_transactions_once"}},
		"ListUnlistedCompletions": {
			dbgen.ListUnlistedCompletions, []string{"completions_offset_unique", "completion_parties_of_all_users"},
		},
		"ListUnlistedUpdates": {dbgen.ListUnlistedUpdates, []string{"update_parties_once"}},
		"ListTracked":         {dbgen.ListTracked, []string{"tracked_requests_one_per_tracking_id"}},
		"CountProvided":       {dbgen.CountProvided, []string{"provided_preapprovals_by_end"}},
		"ListProvided":        {dbgen.ListProvided, []string{"provided_preapprovals_one_per_receiver"}},
		"ForgetProvided":      {dbgen.ForgetProvided, []string{"provided_preapprovals_one_per_receiver"}},
		"ForgetEndedProvided": {dbgen.ForgetEndedProvided, []string{"provided_preapprovals_by_end"}},
		"ForgetExecutedTransactions": {
			dbgen.ForgetExecutedTransactions, []string{"executed_transactions_by_time"},
		},
		"GetAutomationSetting":   {dbgen.GetAutomationSetting, []string{"automation_settings_one_per_wallet"}},
		"ListAutomationSettings": {dbgen.ListAutomationSettings, []string{"automation_settings_one_per_wallet"}},
		"ListLastSettingChanges": {dbgen.ListLastSettingChanges, []string{"audit_log_settings", "ledger_settings_pkey"}},
		"ListSpentCoin":          {dbgen.ListSpentCoin, []string{"contracts_spent_coin"}},
		"ListTransferCommands":   {dbgen.ListTransferCommands, []string{"contracts_transfer_commands"}},
		"ListEndedOfTemplates":   {dbgen.ListEndedOfTemplates, []string{"contracts_archived"}},
		"ListOpenRounds":         {dbgen.ListOpenRounds, []string{"contracts_open_rounds"}},
		"EnterIdempotencyKey":    {dbgen.EnterIdempotencyKey, []string{"kept_answers_one_per_user"}},
		"TakeIdempotencyKey": {
			dbgen.TakeIdempotencyKey, []string{"kept_answers_one_per_user", "idempotency_keys_one_per_user"},
		},
		"AddMemberTraffic":   {dbgen.AddMemberTraffic, []string{"contracts_id_unique"}},
		"GetMemberTraffic":   {dbgen.GetMemberTraffic, []string{"member_traffic_one_per_account"}},
		"NoteKey":            {dbgen.NoteKey, []string{"idempotency_keys_one_per_user"}},
		"GetKeyNote":         {dbgen.GetKeyNote, []string{"idempotency_keys_one_per_user"}},
		"GetKeptAnswers":     {dbgen.GetKeptAnswers, []string{"kept_answers_one_per_user"}},
		"GetIdempotencyKey":  {dbgen.GetIdempotencyKey, []string{"idempotency_keys_one_per_user"}},
		"HoldIdempotencyKey": {dbgen.HoldIdempotencyKey, []string{"idempotency_keys_one_per_user"}},
		"ReturnIdempotencyKey": {
			dbgen.ReturnIdempotencyKey, []string{"idempotency_keys_one_per_user"},
		},
		"AnswerIdempotencyKey": {
			dbgen.AnswerIdempotencyKey, []string{"idempotency_keys_one_per_user", "kept_answers_one_per_user"},
		},
		"ForgetIdempotencyKeys": {
			dbgen.ForgetIdempotencyKeys,
			[]string{"idempotency_keys_expired", "idempotency_keys_one_per_user", "kept_answers_one_per_user"},
		},
		"GetUser":             {dbgen.GetUser, []string{"users_id_unique"}},
		"ListUserRights":      {dbgen.ListUserRights, []string{"user_rights_once"}},
		"ListUsersOfParty":    {dbgen.ListUsersOfParty, []string{"user_rights_by_party"}},
		"ListUsersWithRights": {dbgen.ListUsersWithRights, []string{"users_id_unique", "user_rights_once"}},
		"GetParties":          {dbgen.GetParties, []string{"parties_allocated_once"}},
		"ListKnownParties":    {dbgen.ListKnownParties, []string{"parties_allocated_once"}},
		"ListParties":         {dbgen.ListParties, []string{"parties_allocated_once"}},
		"ListNamespaces":      {dbgen.ListNamespaces, []string{"namespaces_once"}},
		"GetIdentityProvider": {dbgen.GetIdentityProvider, []string{"identity_providers_id_unique"}},
		"GetIdentityProviderByIssuer": {
			dbgen.GetIdentityProviderByIssuer, []string{"identity_providers_issuer_unique"},
		},
	}
	databaseURL := dbtest.URL(t)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := genericPlan(t, databaseURL, test.query)
			require.NotContains(t, plan, "Seq Scan")
			require.Equal(t, test.indexes, indexesOf(plan, test.indexes), plan)
		})
	}
}

// A query whether something is due must read only the earliest task. A planner that expects many due tasks takes any
// index that finds one soon; if nothing is due, that index may lead through all tasks.
func TestQueries_FindDueTasksByTheEarliest(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	for name, query := range map[string]string{
		"ListAutomations":    dbgen.ListAutomations,
		"ListDueAutomations": dbgen.ListDueAutomations,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := genericPlan(t, databaseURL, query)
			require.Regexp(t, `Limit .*\n.*Index (Only )?Scan using automation_tasks_due`, plan)
		})
	}
}

// Ten contracts were active at any offset. What was archived since fills hundreds of blocks.
func TestActiveContracts_ReadWhatWasActiveThen(t *testing.T) {
	t.Parallel()
	const contracts, life = 10_000, 10
	databaseURL := dbtest.URL(t)
	var entries db.Entries
	for n := 1; n <= contracts; n++ {
		entries.Created = append(entries.Created, coin(n, ledger.Offset(n), alice))
		entries.Archived = append(entries.Archived, db.Archival{ContractID: contractID(n), Offset: ledger.Offset(n + life)})
	}
	appendEntries(t, dbtest.Open(t, databaseURL), entries)
	for _, at := range []ledger.Offset{life, contracts / 2, contracts} {
		require.Less(t, pages(t, databaseURL, dbgen.ListArchivedSince,
			int64(0), int64(at), []bool{true, false}, int32(0), []string{string(alice)}, nil, int32(100)), int64(60))
	}
}

// genericPlan is the plan that connections of the pool keep for a query.
func genericPlan(t *testing.T, databaseURL, query string) string {
	t.Helper()
	conn := connectAsPool(t, databaseURL)
	statement, err := conn.Prepare(t.Context(), "q", query)
	require.NoError(t, err)
	call := "q"
	if count := len(statement.ParamOIDs); count > 0 {
		call = fmt.Sprintf("q(NULL%s)", strings.Repeat(", NULL", count-1))
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE "+call)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

func connectAsPool(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	require.NoError(t, err)
	db.Configure(config)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return conn
}

var indexUse = regexp.MustCompile(`Index (?:Only )?Scan (?:Backward )?(?:using|on) (\w+)`)

// indexesOf returns the indexes of a plan in the order of want, then those that want lacks.
func indexesOf(plan string, want []string) []string {
	used := map[string]bool{}
	for _, match := range indexUse.FindAllStringSubmatch(plan, -1) {
		used[match[1]] = true
	}
	var list []string
	for _, index := range want {
		if used[index] {
			list = append(list, index)
			delete(used, index)
		}
	}
	for index := range used {
		list = append(list, index)
	}
	return list
}
