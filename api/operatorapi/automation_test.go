package operatorapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

const automationPath = "/v0/admin/automation"

// troubled is a server with two refused subjects: one waits, the other needs a nudge.
func troubled(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.New(t, apitest.Options{})
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	require.NoError(t, s.DB.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.EnterAutomations(t.Context(), []string{"rewards", "rounds"}); err != nil {
			return err
		}
		tasks := []db.DueTask{{Subject: "alice", At: at}, {Subject: "bob", At: at}, {Subject: "carol", At: at}}
		if err := tx.EnterTasks(t.Context(), "rewards", "wallets", tasks); err != nil {
			return err
		}
		if err := tx.CountAutomation(t.Context(), "rewards", at.Add(-time.Minute), 5, 3); err != nil {
			return err
		}
		return tx.SettleTasks(t.Context(), "rewards", []db.AutomationTask{
			{Subject: "alice", DueAt: at, CommandID: "collect-1", Tries: 2, Refusal: "CONTRACT_NOT_FOUND"},
			{Subject: "bob", DueAt: lf.MaxTimestamp().Time(), CommandID: "collect-2", Tries: 12, Refusal: "no coin"},
		})
	}))
	return s
}

func TestAutomation_ListsRunsAndTroubles(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	require.JSONEq(t, `{"automations":[
		{"kind":"rewards","schedule":"3f9c2ab1:automation:rewards","paused":false,"last_run":"2026-03-01T09:59:00Z",
		 "next_due":"2026-03-01T10:00:00Z","done":5,"refused":3,"trouble_count":2,"troubles":[
			{"subject":"alice","command_id":"collect-1","tries":2,"refusal":"CONTRACT_NOT_FOUND",
			 "next_try":"2026-03-01T10:00:00Z","stuck":false},
			{"subject":"bob","command_id":"collect-2","tries":12,"refusal":"no coin","next_try":null,"stuck":true}]},
		{"kind":"rounds","schedule":"3f9c2ab1:automation:rounds","paused":false,"last_run":null,"next_due":null,
		 "done":0,"refused":0,"trouble_count":0,"troubles":[]}]}`,
		s.Call(apitest.Admin, http.MethodGet, automationPath, nil).Text)

	var page struct {
		Troubles []struct{ Subject string }
	}
	s.Call(apitest.Admin, http.MethodGet, automationPath+"/rewards/troubles?limit=1", nil).OK(&page)
	require.Len(t, page.Troubles, 1)
	s.Call(apitest.Admin, http.MethodGet, automationPath+"/rewards/troubles?after=alice", nil).OK(&page)
	require.Equal(t, "bob", page.Troubles[0].Subject)
	answer := s.Call(apitest.Admin, http.MethodGet, automationPath+"/rewards/troubles?limit=0", nil)
	require.Equal(t, http.StatusBadRequest, answer.Status, answer.Text)
	answer = s.Call(apitest.Admin, http.MethodGet, automationPath+"/dreams/troubles", nil)
	require.Equal(t, http.StatusNotFound, answer.Status)
	require.Contains(t, answer.Text, `rounds`, "the refusal lists the kinds")
}

func TestAutomation_RunRetriesRefusedSubjects(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	answer := s.Call(apitest.Admin, http.MethodPost, automationPath+"/rewards/run", `{"subject":"bob"}`)
	require.JSONEq(t, `{"nudged":1,"paused":false}`, answer.Text)
	bob, err := s.DB.Troubles(t.Context(), "rewards", "alice", 1)
	require.NoError(t, err)
	require.Equal(t, time.Unix(0, 0).UTC(), bob[0].DueAt.UTC())

	require.NoError(t, s.DB.PauseAutomation(t.Context(), "rewards", true))
	answer = s.Call(apitest.Admin, http.MethodPost, automationPath+"/rewards/run", `{}`)
	require.JSONEq(t, `{"nudged":2,"paused":true}`, answer.Text)

	answer = s.Call(apitest.Admin, http.MethodPost, automationPath+"/rewards/run", `{"subject":"carol"}`)
	require.Equal(t, http.StatusNotFound, answer.Status, "who has no trouble")
	answer = s.Call(apitest.Admin, http.MethodPost, automationPath+"/dreams/run", `{}`)
	require.Equal(t, http.StatusNotFound, answer.Status)
}

func TestAutomation_ShowsCurrentPauseAndNoDueDateOf1970(t *testing.T) {
	t.Parallel()
	paused := map[string]bool{"3f9c2ab1:automation:rounds": true}
	var away error
	var lastBy string
	s := apitest.New(t, apitest.Options{
		Paused: func(_ context.Context, schedule string) (bool, error) { return paused[schedule], away },
		Pause: func(_ context.Context, schedule string, pause bool, by string) error {
			paused[schedule], lastBy = pause, by
			return nil
		},
	})
	require.NoError(t, s.DB.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.EnterAutomations(t.Context(), []string{"rewards", "rounds"}); err != nil {
			return err
		}
		return tx.EnterTasks(t.Context(), "rewards", "", []db.DueTask{{Subject: "network", At: time.Unix(0, 0)}})
	}))
	type kind struct {
		Kind    string
		Paused  bool
		NextDue *time.Time `json:"next_due"`
	}
	list := func() []kind {
		var answer struct{ Automations []kind }
		s.Call(apitest.Admin, http.MethodGet, automationPath, nil).OK(&answer)
		return answer.Automations
	}
	shown := list()
	require.False(t, shown[0].Paused)
	require.True(t, shown[1].Paused, "though the node has not looked yet")
	require.WithinDuration(t, time.Now(), *shown[0].NextDue, time.Minute, "what is due at once is due now")
	require.Nil(t, shown[1].NextDue)
	require.Contains(t, s.Call(apitest.Admin, http.MethodPost, automationPath+"/rounds/run", `{}`).Text, `"paused":true`)

	for range 2 { // twice is as once
		s.Call(apitest.Admin, http.MethodPut, automationPath+"/rounds/paused", `{"paused":false}`).OK(nil)
		require.False(t, list()[1].Paused)
	}
	require.Contains(t, lastBy, apitest.Admin)
	s.Call(apitest.Admin, http.MethodPut, automationPath+"/rounds/paused", `{"paused":true}`).OK(nil)
	require.True(t, list()[1].Paused)
	require.Contains(t, s.Call(apitest.Admin, http.MethodPut, automationPath+"/none/paused", `{"paused":true}`).Text,
		"The kinds are")
	require.Equal(t, http.StatusBadRequest, s.Call(apitest.Admin, http.MethodPut, automationPath+"/rounds/paused", `{}`).Status)

	require.NoError(t, s.DB.PauseAutomation(t.Context(), "rewards", true))
	require.False(t, list()[0].Paused, "it goes on again")
	away = errors.New("Temporal is away")
	shown = list()
	require.True(t, shown[0].Paused, "as it was seen last")
	require.False(t, shown[1].Paused)
}
