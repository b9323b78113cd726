//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

const (
	// faultyTimeout is the --request-timeout of tested nodes, and answerWithin the limit for an answer under any fault.
	faultyTimeout = "3s"
	answerWithin  = 8 * time.Second
)

// faultyNode is a node with proxies before its servers.
type faultyNode struct {
	t *testing.T
	*servedNode
	database, temporal *proxy
	direct             installation // past the proxies
	alice              account
	coin               client.Coin
	submitted          int
}

func newFaulty(t *testing.T) *faultyNode {
	t.Helper()
	f := &faultyNode{t: t, direct: install(t)}
	f.database = newProxy(t, hostOf(t, f.direct.databaseURL))
	f.temporal = newProxy(t, f.direct.temporalAddress)
	at := f.direct
	at.databaseURL, at.temporalAddress = through(t, at.databaseURL, f.database), f.temporal.address()
	f.begin(at)
	return f
}

// begin starts the node.
func (f *faultyNode) begin(at installation) {
	f.t.Helper()
	f.servedNode = serve(f.t, "serve", at, "--request-timeout", faultyTimeout)
	f.meetAlice()
}

// meetAlice onboards alice on the node, and waits until it serves her.
func (f *faultyNode) meetAlice() {
	f.t.Helper()
	dso := findDSO(f.t, f.endpoint)
	f.alice = newAccount(f.t, f.endpoint, dso, "alice", "alice")
	var err error
	f.coin, err = f.admin().FindCoin(f.t.Context(), dso)
	require.NoError(f.t, err)
	f.requireHealthy()
}

func (f *faultyNode) tap() client.Commands {
	f.submitted++
	return f.alice.tap(f.coin, fmt.Sprintf("tap-%d", f.submitted), 1)
}

// requireHealthy waits until the node is ready and commits, without any help.
func (f *faultyNode) requireHealthy() {
	f.t.Helper()
	await(f.t, "the node is ready", func() error {
		if status, text := f.readyz(); status != http.StatusOK {
			return errors.New(text)
		}
		return nil
	})
	await(f.t, "the node commits", func() error {
		_, err := f.alice.SubmitAndWait(f.t.Context(), f.tap())
		return err
	})
	select {
	case <-f.Done():
		require.FailNow(f.t, "the node ended", "%v: %s", f.Err(), f.stderr)
	default:
	}
}

// readyz reads /readyz, which must answer in time.
func (f *faultyNode) readyz() (status int, text string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), answerWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url+"/readyz", nil)
	require.NoError(f.t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(f.t, err, "/readyz answers under any fault")
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(f.t, err)
	return answer.StatusCode, string(body)
}

// requireBroken waits until /readyz names the part, and no other one.
func (f *faultyNode) requireBroken(part string) {
	f.t.Helper()
	await(f.t, "/readyz names "+part, func() error {
		status, text := f.readyz()
		if status != http.StatusServiceUnavailable || !strings.Contains(text, "not ready: "+part+")") {
			return fmt.Errorf("%d: %s", status, text)
		}
		return nil
	})
}

// requireUnavailable makes a call and expects a retryable error in the API's form, in time.
func (f *faultyNode) requireUnavailable(what string, call func(ctx context.Context) error) {
	f.t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(f.t.Context(), 2*answerWithin)
	defer cancel()
	err := call(ctx)
	require.Less(f.t, time.Since(began), answerWithin, what)
	var answer *client.Error
	require.ErrorAs(f.t, err, &answer, "%s gets an answer", what)
	require.Equal(f.t, http.StatusServiceUnavailable, answer.Status, string(answer.Body))
	if code := client.Code(err); code == "" { // upstream's text for a timeout
		require.Contains(f.t, string(answer.Body), "was not able to produce a timely response")
		return
	}
	require.Equal(f.t, "SERVICE_NOT_RUNNING", client.Code(err), string(answer.Body))
	var shape struct {
		Cause         string `json:"cause"`
		ErrorCategory int    `json:"errorCategory"`
		GrpcCodeValue int    `json:"grpcCodeValue"`
	}
	require.NoError(f.t, json.Unmarshal(answer.Body, &shape))
	require.NotEmpty(f.t, shape.Cause)
	require.Equal(f.t, 1, shape.ErrorCategory, "transient")
	require.Equal(f.t, 14, shape.GrpcCodeValue, "unavailable")
}

func (f *faultyNode) read(ctx context.Context) error {
	_, err := f.admin().LedgerEnd(ctx)
	return err
}

func (f *faultyNode) submit(ctx context.Context) error { return f.alice.Submit(ctx, f.tap()) }

func (f *faultyNode) submitAndWait(ctx context.Context) error {
	_, err := f.alice.SubmitAndWait(ctx, f.tap())
	return err
}

// exec runs a statement past the proxies.
func (f *faultyNode) exec(statements ...string) {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.direct.databaseURL)
	require.NoError(f.t, err)
	defer conn.Close(f.t.Context())
	_, err = conn.Exec(f.t.Context(), "SET default_transaction_read_only = off")
	require.NoError(f.t, err)
	for _, statement := range statements {
		_, err = conn.Exec(f.t.Context(), statement)
		require.NoError(f.t, err, statement)
	}
}

func TestFault_RecoversFromALostDatabase(t *testing.T) {
	t.Parallel()
	for name, weather := range map[string]weather{"gone": refused, "silent": silent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t)
			f.database.set(weather)
			f.requireUnavailable("a read", f.read)
			f.requireUnavailable("a submission that waits", f.submitAndWait)
			f.requireBroken("database")
			f.requireUnavailable("a read", f.read)
			f.database.set(fair)
			f.requireHealthy()
		})
	}
}

func TestFault_SurvivesASlowDatabase(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.database.set(slow)
	for range 3 {
		_, err := f.alice.SubmitAndWait(t.Context(), f.tap())
		require.NoError(t, err)
	}
	status, text := f.readyz()
	require.Equal(t, http.StatusOK, status, text)
	f.database.set(fair)
	f.requireHealthy()
}

func TestFault_NamesAReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	database := pgx.Identifier{strings.TrimPrefix(pathOf(t, f.direct.databaseURL), "/")}.Sanitize()
	f.exec("ALTER DATABASE " + database + " SET default_transaction_read_only = on")
	f.database.set(refused) // existing sessions do not change
	f.database.set(fair)
	f.requireBroken("database")
	await(t, "reads work", func() error { return f.read(t.Context()) })
	f.requireUnavailable("a new user", func(ctx context.Context) error {
		return f.admin().CreateUser(ctx, "nobody", "")
	})
	kept := f.tap()
	require.NoError(t, f.alice.Submit(t.Context(), kept), "Temporal keeps it")
	f.requireUnavailable("a submission that waits", f.submitAndWait)
	f.exec("ALTER DATABASE " + database + " RESET default_transaction_read_only")
	f.requireHealthy() // read-only sessions do not change: the node must open new ones by itself
	require.Zero(t, f.alice.awaitCompletion(t, kept.CommandID).Status.Code)
}

func pathOf(t *testing.T, original string) string {
	t.Helper()
	config, err := pgx.ParseConfig(original)
	require.NoError(t, err)
	return config.Database
}

// The test fills no disk: the server refuses to store completions with the error of a full disk.
func TestFault_NamesAFullDisk(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
		"CREATE TRIGGER full_disk BEFORE INSERT ON completions EXECUTE FUNCTION full_disk()",
		"CREATE TRIGGER full_disk BEFORE INSERT ON users EXECUTE FUNCTION full_disk()")
	kept := f.tap()
	require.NoError(t, f.alice.Submit(t.Context(), kept), "Temporal keeps it")
	f.requireUnavailable("a submission that waits", f.submitAndWait)
	f.requireBroken("database")
	f.requireUnavailable("a new user", func(ctx context.Context) error {
		return f.admin().CreateUser(ctx, "nobody", "")
	})
	require.NoError(t, f.read(t.Context()), "reads work")
	f.exec("DROP FUNCTION full_disk() CASCADE")
	f.requireHealthy()
	require.Zero(t, f.alice.awaitCompletion(t, kept.CommandID).Status.Code)
}

// The database moves to another address, as after a failover.
func TestFault_FollowsADatabaseFailover(t *testing.T) {
	t.Parallel()
	f := &faultyNode{t: t, direct: install(t)}
	first, second := newProxy(t, hostOf(t, f.direct.databaseURL)), newProxy(t, hostOf(t, f.direct.databaseURL))
	second.set(refused)
	at := f.direct
	at.databaseURL = through(t, at.databaseURL, first, second) + "&target_session_attrs=read-write"
	f.begin(at)
	for range 2 {
		first.set(refused)
		second.set(fair)
		f.requireHealthy()
		first, second = second, first
	}
}

func TestFault_RecoversFromALostTemporal(t *testing.T) {
	t.Parallel()
	for name, weather := range map[string]weather{"gone": refused, "silent": silent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t)
			f.temporal.set(weather)
			f.requireUnavailable("a submission", f.submit)
			f.requireUnavailable("a submission that waits", f.submitAndWait)
			f.requireBroken("temporal")
			require.NoError(t, f.read(t.Context()), "reads do not need it")
			f.temporal.set(fair)
			f.requireHealthy()
		})
	}
}

func TestFault_SurvivesASlowTemporal(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.temporal.set(slow)
	for range 2 {
		_, err := f.alice.SubmitAndWait(t.Context(), f.tap())
		require.NoError(t, err)
	}
	status, text := f.readyz()
	require.Equal(t, http.StatusOK, status, text)
	f.temporal.set(fair)
	f.requireHealthy()
}

func TestFault_NamesAMissingNamespace(t *testing.T) {
	t.Parallel()
	at := install(t)
	at.namespace += "-missing"
	n := launch(t, "serve", at)
	n.waitEnd(t)
	require.Equal(t, 1, n.exitCode(t))
	require.Contains(t, n.stderr.String(), "Namespace "+at.namespace+" is not found. Make it with "+
		"`temporal operator namespace create --namespace "+at.namespace+" ")
}
