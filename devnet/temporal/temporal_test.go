package temporal_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdktemporal "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/devnet/devtest"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/temporal"
	"github.com/florinledger/florin/devnet/temporalchild"
)

const deadline = time.Minute

// attributes has the types that the node uses.
func attributes() map[string]string {
	return map[string]string{"FlorinParty": "KeywordList", "FlorinCommandId": "KeywordList", "FlorinKind": "Keyword"}
}

func database(t *testing.T) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: devtest.DataDir(t), Ephemeral: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

type running struct {
	report temporalchild.Report
	stop   func() error
}

// testLog shows the server's log when a test fails.
type testLog struct {
	t    *testing.T
	once sync.Once
	mu   sync.Mutex
	text strings.Builder
}

func (l *testLog) Write(p []byte) (int, error) {
	l.once.Do(func() {
		l.t.Cleanup(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.t.Failed() {
				l.t.Log(l.text.String())
			}
		})
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// run starts a server and waits until it is ready.
func run(t *testing.T, config temporalchild.Config) (running, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reports, ended := make(chan temporalchild.Report, 1), make(chan error, 1)
	go func() {
		ended <- temporal.Run(ctx, config, &testLog{t: t}, func(report temporalchild.Report) error {
			reports <- report
			return nil
		})
	}()
	select {
	case report := <-reports:
		stop := func() error {
			cancel()
			return <-ended
		}
		t.Cleanup(cancel)
		return running{report: report, stop: stop}, nil
	case err := <-ended:
		cancel()
		return running{}, err
	case <-time.After(deadline):
		cancel()
		return running{}, errors.New("it does not get ready")
	}
}

func mustRun(t *testing.T, config temporalchild.Config) running {
	t.Helper()
	r, err := run(t, config)
	require.NoError(t, err)
	return r
}

func greet(_ workflow.Context, name string) (string, error) { return "hello " + name, nil }

func TestRun_KeepsDatabasesOverThreeStarts(t *testing.T) {
	t.Parallel()
	pg := database(t)
	config := temporalchild.Config{
		DatabaseURL: pg.SocketURL("postgres"), UI: "127.0.0.1:0", SearchAttributes: attributes(), Retention: 24 * time.Hour,
	}
	first := mustRun(t, config)
	c := dial(t, first)
	require.Equal(t, "hello Ada", runWorkflow(t, c, "ada"))
	require.Equal(t, []string{"ada"}, find(t, c, "FlorinParty = 'alice' and FlorinKind = 'greeting'"))
	require.Equal(t, 24*time.Hour, retention(t, c))
	requireSchedule(t, c)
	requireUI(t, first.report.UI)
	c.Close()
	require.NoError(t, first.stop())

	t.Log("started again, everything is still there, and a new retention counts")
	config.Retention = 48 * time.Hour
	config.Frontend = first.report.Frontend
	second := mustRun(t, config)
	require.Equal(t, first.report.Frontend, second.report.Frontend)
	c = dial(t, second)
	require.Equal(t, []string{"ada"}, find(t, c, "FlorinCommandId = 'command-ada'"))
	require.Equal(t, 48*time.Hour, retention(t, c))

	t.Log("a second server on the same port is refused while the first runs")
	_, err := run(t, config)
	require.ErrorContains(t, err, "Temporal cannot listen on "+config.Frontend)
	require.ErrorContains(t, err, "stop the program that uses it, or choose another address")
	c.Close()
	require.NoError(t, second.stop())

	t.Log("an attribute whose type has changed is refused")
	config.SearchAttributes["FlorinKind"] = "Int"
	_, err = run(t, config)
	require.ErrorContains(t, err, "search attribute FlorinKind exists as Keyword and should be Int")
}

func dial(t *testing.T, r running) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: r.report.Frontend})
	require.NoError(t, err)
	return c
}

// runWorkflow runs one workflow with search attributes, started eagerly.
func runWorkflow(t *testing.T, c client.Client, id string) string {
	t.Helper()
	w := worker.New(c, "greetings", worker.Options{})
	w.RegisterWorkflow(greet)
	require.NoError(t, w.Start())
	defer w.Stop()
	started, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: id, TaskQueue: "greetings", EnableEagerStart: true,
		TypedSearchAttributes: sdktemporal.NewSearchAttributes(
			sdktemporal.NewSearchAttributeKeyKeywordList("FlorinParty").ValueSet([]string{"alice", "bob"}),
			sdktemporal.NewSearchAttributeKeyKeywordList("FlorinCommandId").ValueSet([]string{"command-" + id}),
			sdktemporal.NewSearchAttributeKeyKeyword("FlorinKind").ValueSet("greeting"),
		),
	}, greet, strings.ToUpper(id[:1])+id[1:])
	require.NoError(t, err)
	var greeting string
	require.NoError(t, started.Get(t.Context(), &greeting))
	return greeting
}

// requireSchedule checks that the server's own workers, which run schedules, work.
func requireSchedule(t *testing.T, c client.Client) {
	t.Helper()
	w := worker.New(c, "scheduled", worker.Options{})
	w.RegisterWorkflow(greet)
	require.NoError(t, w.Start())
	defer w.Stop()
	handle, err := c.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID: "tick", TriggerImmediately: true,
		Spec:   client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Hour}}},
		Action: &client.ScheduleWorkflowAction{ID: "tick", Workflow: greet, TaskQueue: "scheduled", Args: []any{"Grace"}},
	})
	require.NoError(t, err)
	require.Len(t, find(t, c, "TaskQueue = 'scheduled' and ExecutionStatus = 'Completed'"), 1)
	require.NoError(t, handle.Delete(t.Context()))
}

// find waits until a query returns workflows, and returns their ids.
func find(t *testing.T, c client.Client, query string) []string {
	t.Helper()
	var ids []string
	require.Eventually(t, func() bool {
		found, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		require.NoError(t, err)
		ids = nil
		for _, execution := range found.GetExecutions() {
			ids = append(ids, execution.GetExecution().GetWorkflowId())
		}
		return len(ids) > 0
	}, deadline, 20*time.Millisecond)
	return ids
}

func retention(t *testing.T, c client.Client) time.Duration {
	t.Helper()
	described, err := c.WorkflowService().DescribeNamespace(t.Context(),
		&workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	return described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
}

// requireUI checks that the UI serves its page, shows our namespace, and loads nothing from the internet.
func requireUI(t *testing.T, url string) {
	t.Helper()
	require.Contains(t, get(t, url+"/"), "<html")
	settings := get(t, url+"/api/v1/settings")
	require.Contains(t, settings, `"DefaultNamespace":"default"`)
	require.Contains(t, settings, `"NotifyOnNewVersion":false`)
	require.Contains(t, get(t, url+"/api/v1/namespaces"), `"name": "default"`)
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}

func TestRun_ServersRunSideBySide(t *testing.T) {
	t.Parallel()
	one := mustRun(t, temporalchild.Config{DatabaseURL: database(t).URL("postgres"), SearchAttributes: attributes()})
	two := mustRun(t, temporalchild.Config{DatabaseURL: database(t).URL("postgres"), SearchAttributes: attributes()})
	require.Empty(t, one.report.UI)
	for name, r := range map[string]running{"ada": one, "grace": two} {
		c := dial(t, r)
		runWorkflow(t, c, name)
		require.Equal(t, []string{name}, find(t, c, "FlorinKind = 'greeting'"))
		c.Close()
		require.NoError(t, r.stop())
	}
}

func TestRun_RefusesUnusableOptions(t *testing.T) {
	t.Parallel()
	pg := database(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	for name, test := range map[string]struct {
		config temporalchild.Config
		want   string
	}{
		"a database that is not there": {
			temporalchild.Config{DatabaseURL: "postgres://florin@127.0.0.1:1/postgres?sslmode=disable"},
			"prepare database temporal",
		},
		"a UI address that is taken": {
			temporalchild.Config{DatabaseURL: pg.URL("postgres"), UI: listener.Addr().String()},
			"Temporal's Web UI cannot listen on " + listener.Addr().String(),
		},
		"an address that others can reach": {
			temporalchild.Config{DatabaseURL: pg.URL("postgres"), Frontend: "0.0.0.0:0"},
			"choose a loopback address for Temporal",
		},
		"an unknown type of attribute": {
			temporalchild.Config{DatabaseURL: pg.URL("postgres"), SearchAttributes: map[string]string{"A": "Keywords"}},
			`search attribute A has type "Keywords": use Keyword, KeywordList`,
		},
		"an unknown log level": {
			temporalchild.Config{DatabaseURL: pg.URL("postgres"), LogLevel: "loud"}, `log level "loud": use debug`,
		},
		"a schema from the future": {
			temporalchild.Config{DatabaseURL: future(t)}, "this release of florin knows versions up to",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, test.config)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// future is a server whose Temporal database has an unknown newer version.
func future(t *testing.T) string {
	t.Helper()
	pg := database(t)
	require.NoError(t, pg.EnsureDatabase(t.Context(), "temporal"))
	conn, err := pgx.Connect(t.Context(), pg.URL("temporal"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(t.Context(), `create table schema_version (version_partition int, db_name text, curr_version text);
		insert into schema_version values (0, 'temporal', '99.0')`)
	require.NoError(t, err)
	return pg.URL("postgres")
}
