package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// troubledAPI is a node with two refused tasks of automation: one waits for its time, the other for a nudge.
func troubledAPI(t *testing.T) *apitest.Server {
	t.Helper()
	api := coinAPI(t)
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	require.NoError(t, api.DB.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.EnterAutomations(t.Context(), []string{"rewards", "rounds"}); err != nil {
			return err
		}
		tasks := []db.DueTask{{Subject: "alice", At: at}, {Subject: "bob", At: at}}
		if err := tx.EnterTasks(t.Context(), "rewards", "wallets", tasks); err != nil {
			return err
		}
		return tx.SettleTasks(t.Context(), "rewards", []db.AutomationTask{
			{Subject: "alice", DueAt: at, CommandID: "collect-1", Tries: 2, Refusal: "CONTRACT_NOT_FOUND"},
			{Subject: "bob", DueAt: lf.MaxTimestamp().Time(), CommandID: "collect-2", Tries: 12, Refusal: "no coin"},
		})
	}))
	return api
}

func TestAutomation_ShowsTroublesAndRetriesThem(t *testing.T) {
	t.Parallel()
	api := troubledAPI(t)
	of := options(t, api.Handler)
	of.TemporalUI, of.TemporalNamespace, of.TemporalQuery = "http://127.0.0.1:8233", "default", "WorkflowId = 1"
	server := serve(t, of)
	b := operator(t, server).open("/admin/automation")
	b.shows("rewards 2 troubles never", "rounds ok never", "CONTRACT_NOT_FOUND", "no coin", "waits for you",
		"No contract is overdue.", "Submissions that run now")
	require.Contains(t, links(b, "href"),
		"http://127.0.0.1:8233/namespaces/default/schedules/3f9c2ab1:automation:rewards")
	require.Contains(t, strings.Join(links(b, "href"), " "), url.QueryEscape(`FlorinCommandId = "collect-2" AND WorkflowId = 1`))

	path, form := b.form("/admin/automation/rewards")
	form.Set("subject", "bob")
	b.load(b.request(http.MethodPost, path, form)).shows("The node retries 1 trouble of rewards now.")
	require.NotContains(t, b.words(), "waits for you")
	_, form = b.form("/admin/automation/rewards")
	form.Set("subject", "carol")
	b.load(b.request(http.MethodPost, path, form)).shows("has no trouble with", "carol", "no coin")
	require.NoError(t, api.DB.PauseAutomation(t.Context(), "rewards", true))
	b.press("/admin/automation/rewards", "subject", "").shows("The node retries 2 troubles of rewards after the pause.",
		"rewards paused")

	b.press("/admin/automation/rewards/paused").shows("The node resumes rewards now.", "rewards 2 troubles")
	b.press("/admin/automation/rounds/paused").shows("rounds is paused.", "rounds paused", "Resume")
	api.Metrics.Overdue(90*time.Second, 0, 0)
	b.open("/admin/automation").shows("has waited 1m30s")
	plain := operator(t, serve(t, options(t, api.Handler))).open("/admin/automation")
	plain.shows("This node has no address of Temporal's UI")
}

func TestPackages_AreUploadedAndVetted(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/packages").shows("splice-amulet", "built in")
	b.upload("bad.dar", []byte("no archive"))
	require.Equal(t, http.StatusUnprocessableEntity, b.status)
	b.upload("", nil).shows("No file was chosen.")
	dar := dartest.Build(t, dartest.Notes("memos", "1.0.0", ""))
	b.upload("memos.dar", dar).shows("The packages of memos.dar are on the ledger.", "memos 1.0.0")
	first := strings.Index(b.words(), "memos 1.0.0")
	require.Less(t, first, strings.Index(b.words(), "splice-amulet"), "uploaded packages come first")

	var id string
	packages, err := client.New(b.base, 1).With(token(t, apitest.Admin)).Packages(t.Context())
	require.NoError(t, err)
	for _, one := range packages {
		if one.Name == "memos" {
			id = one.ID
		}
	}
	require.NotEmpty(t, id)
	b.press("/admin/packages/"+id, "state", "unvetted").shows("Commands can no longer use the package.", "not vetted", id)
	require.Equal(t, 1, strings.Count(b.text, `>not vetted</span>`), "the other ids of built-in packages are none")
	b.press("/admin/packages/"+id, "state", "vetted").shows("Commands can use the package again.", "memos 1.0.0")
}

func TestPackages_UploadNeedsTheSession(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	b := operator(t, server).open("/admin/packages")
	stranger := window(t, server).open("/wallet")
	stranger.text, stranger.root = b.text, b.root // a form of another session
	stranger.upload("memos.dar", dartest.Build(t, dartest.Notes("memos", "1.0.0", "")))
	require.Equal(t, http.StatusForbidden, stranger.status)
	require.NotContains(t, b.open("/admin/packages").words(), "memos")
}

func TestSettings_AreChangedAndHaveAHistory(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/settings").shows("Settings of the ledger", "max-self-allocated-parties")
	b.press("/admin/settings/max-self-allocated-parties", "value", "many").shows("many")
	require.Equal(t, http.StatusUnprocessableEntity, b.status)
	require.Contains(t, b.text, `value="many"`)
	b.press("/admin/settings/max-self-allocated-parties", "value", "7")
	b.shows("The setting max-self-allocated-parties is now 7", "by "+apitest.Admin)

	api.Call(apitest.Admin, http.MethodPut, "/v0/admin/automation/settings/top-up",
		`{"target_throughput":20000}`).OK(nil)
	b.open(b.linkOn("/admin/history?kind=setting")).shows("create setting top-up", `"target-throughput":20000`,
		"change setting max-self-allocated-parties from_offset", "value 10", "value 7")
	require.NotContains(t, b.words(), "grant right")
}

func TestClock_IsAdvanced(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	b := operator(t, server).open("/admin/clock").shows("Clock real", "which nobody can advance")
	require.Empty(t, strings.TrimSpace(b.fragment("/admin/ledger-time").words()), "real time is no news")

	require.NoError(t, api.DB.StopClock(t.Context(), time.Now()))
	b.open("/admin/clock").shows("Clock static")
	b.press("/admin/clock", "by", "backwards").shows(`"backwards" is not a positive duration`)
	require.Contains(t, b.text, `value="backwards"`)
	b.press("/admin/clock", "by", "").shows(`The field "Advance by" is empty.`)
	b.press("/admin/clock", "step", "90d").shows("The ledger's time is now", "Ahead by +90 d")
	then := time.Now().UTC().Add(90 * 24 * time.Hour).Format("2 Jan 2006")
	b.fragment("/admin/ledger-time").shows("Ledger time: " + then + " · +90 d")

	alice := window(t, server).as("alice").open("/admin/clock")
	alice.press("/admin/clock", "step", "1h").shows("This needs the right ParticipantAdmin")
}

func TestAudit_ShowsTheLastProof(t *testing.T) {
	t.Parallel()
	server := node(t)
	operator(t, server).open("/admin/audit").shows("Every coin comes from a recorded mint", "Audited up to offset",
		"It covers all entries before.", "Supply", "Held")
}
