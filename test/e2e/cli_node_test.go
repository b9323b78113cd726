package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/runfile"
)

// TestNode_RunsInTheBackground starts a node in the background, and manages it with commands.
func TestNode_RunsInTheBackground(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	at := []string{"--data-dir", dir}
	mistake{"status", 3, nil}.tryState(t, "the node is stopped\n", at...)
	mistake{"wait --timeout 300ms", 5, []string{"the node is stopped after 300ms", "`florin logs"}}.try(t, at...)
	require.Contains(t, requireDone(t, append([]string{"stop"}, at...)...), "no node runs on data directory")
	mistake{"logs", 1, []string{"there is no log", "--data-dir"}}.try(t, at...)

	t.Cleanup(func() { requireDone(t, append([]string{"stop"}, at...)...) })
	detached := requireDone(t, append(upArguments(dir), "--detach")...)
	require.Contains(t, detached, "florin: ready at http://")
	requireSameAddresses(t, detached, at...)
	require.Contains(t, detached, " stop --data-dir "+dir)
	pid, held := datadir.Holder(dir)
	require.True(t, held)
	mistake{"up --detach", 1, []string{"a node runs on data directory", "`florin stop"}}.try(t, at...)
	mistake{"reset --yes", 1, []string{"is in use by another florin", "`florin stop"}}.try(t, at...)

	info, err := runfile.Read(dir)
	require.NoError(t, err)
	require.Equal(t, pid, info.PID)
	require.Contains(t, requireDone(t, append([]string{"wait"}, at...)...), "the node is ready")
	var state struct {
		State, URL, GRPC string

		PID int
	}
	require.NoError(t, json.Unmarshal([]byte(requireDone(t, append([]string{"status", "--json"}, at...)...)), &state))
	require.Equal(t, "ready", state.State)
	require.Equal(t, info.URL, state.URL)
	require.Equal(t, info.GRPCAddress, state.GRPC)
	require.Equal(t, pid, state.PID)
	awaitBanner(t, at...)
	require.Equal(t, 1, strings.Count(requireDone(t, append([]string{"logs", "-n", "1"}, at...)...), "\n"))
	examined := requireDone(t, append([]string{"doctor"}, at...)...)
	require.Contains(t, examined, "is in use by a node")
	require.Contains(t, examined, "serves at "+info.GRPCAddress)
	requireEnvironment(t, dir, info)
	p := person{t: t, node: &upNode{dir: dir, info: info}}
	p.ledger()

	require.Equal(t, "stopped\n", requireDone(t, append([]string{"stop"}, at...)...))
	require.NoFileExists(t, filepath.Join(dir, runfile.Name))
	mistake{"reset", 1, []string{"was not removed", "--yes"}}.try(t, at...) // without a terminal it cannot ask
	require.Equal(t, "removed "+dir+"\n", requireDone(t, append([]string{"reset", "--yes"}, at...)...))
	require.NoDirExists(t, dir)
	require.Contains(t, requireDone(t, append([]string{"reset", "--yes"}, at...)...), "nothing is stored in "+dir)

	t.Run("and one that cannot start says why", func(t *testing.T) {
		t.Parallel()
		broken := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.Mkdir(broken, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(broken, "thesis.txt"), []byte("years of work"), 0o600))
		mistake{"up --detach", 1, []string{"the node did not start", "is not a florin data directory"}}.
			try(t, "--data-dir", broken, "--listen", "127.0.0.1:0", "--temporal-ui-listen", "127.0.0.1:0")
		entries, err := os.ReadDir(filepath.Dir(broken))
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing is left beside it")
		entries, err = os.ReadDir(broken)
		require.NoError(t, err)
		require.Len(t, entries, 1, "nor in it")
	})
	t.Run("and one whose data is on another file system", func(t *testing.T) {
		t.Parallel()
		elsewhere, err := os.MkdirTemp("/dev/shm", "florin-e2e-") //nolint:usetesting // another file system
		require.NoError(t, err)
		require.NoError(t, os.Chmod(elsewhere, 0o711))
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(elsewhere)) })
		dir := dataDir(t)
		require.NoError(t, os.Symlink(elsewhere, dir))
		t.Cleanup(func() { requireDone(t, "stop", "--data-dir", dir) })
		require.Contains(t, requireDone(t, append(upArguments(dir), "--detach")...), "florin: ready at http://")
		awaitBanner(t, "--data-dir", dir)
	})
}

// awaitBanner waits until the log of a node in the background has the banner, which is printed when the node is ready.
func awaitBanner(t *testing.T, at ...string) {
	t.Helper()
	await(t, "the banner is in the log", func() error {
		if !strings.Contains(requireDone(t, append([]string{"logs", "up"}, at...)...), upReady) {
			return errNotYet
		}
		return nil
	})
}

// requireSameAddresses compares the addresses that up --detach, the banner, status and env show.
func requireSameAddresses(t *testing.T, detached string, at ...string) {
	t.Helper()
	awaitBanner(t, at...)
	banner := requireDone(t, append([]string{"logs", "up", "--lines", "100"}, at...)...)
	status := requireDone(t, append([]string{"status"}, at...)...)
	env := requireDone(t, append([]string{"env"}, at...)...)
	names := []string{"Wallet", "Explorer", "Admin", "API", "API page", "gRPC", "Temporal UI", "Temporal"}
	position := -1
	for _, name := range names {
		found := regexp.MustCompile(`(?m)^ *` + name + ` {2,}(\S+)$`)
		place := found.FindStringSubmatch(status)
		require.Len(t, place, 2, "%s in %s", name, status)
		for _, other := range []string{banner, detached} {
			same := found.FindStringSubmatch(other)
			require.Len(t, same, 2, "%s in %s", name, other)
			require.Equal(t, place[1], same[1], "%s in %s", name, other)
		}
		at := strings.Index(env, "="+place[1]+"\n")
		require.Greater(t, at, position, "%s in %s", name, env)
		position = at
	}
}

// tryState is try for a command that also prints an answer.
func (m mistake) tryState(t *testing.T, answer string, flags ...string) {
	t.Helper()
	ended := run(t, nil, append(strings.Fields(m.line), flags...)...)
	require.Equal(t, m.code, ended.exitCode(t), "it said: %s", ended.stderr)
	require.Equal(t, answer, ended.stdout.String())
	for _, words := range m.says {
		require.Contains(t, ended.stderr.String(), words)
	}
}

// requireEnvironment evaluates the output of env in a shell.
func requireEnvironment(t *testing.T, dir string, info runfile.Info) {
	t.Helper()
	executable, err := binary()
	require.NoError(t, err)
	script := `eval "$(` + executable + ` env --data-dir ` + dir + `)"
		printf '%s %s ' "$FLORIN_URL" "$TEMPORAL_ADDRESS"
		curl -sf -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $TOKEN" "$FLORIN_URL/v2/users"`
	output, err := exec.CommandContext(t.Context(), "sh", "-c", script).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, info.URL+" "+info.TemporalAddress+" 200", string(output))
}

// ledger submits commands, and reads their results.
func (p person) ledger() {
	p.t.Helper()
	p.types("party new alice bob")
	p.types("tap alice 100")
	p.types("send alice bob 5")
	type contracts struct {
		Contracts []struct {
			ContractID string `json:"contract_id"`
			TemplateID string `json:"template_id"`
		} `json:"contracts"`
	}
	coins := reads[contracts](p, "contracts bob --template "+client.AmuletTemplate).Contracts
	require.Len(p.t, coins, 1)
	require.Contains(p.t, p.types("contracts bob"), coins[0].ContractID)
	updates := p.types("updates alice")
	require.Contains(p.t, updates, "AmuletRules_DevNet_Tap AmuletRules_Mint +Amulet")
	last := strings.Split(strings.TrimSpace(updates), "\n")
	offset := strings.Fields(last[len(last)-2])[0]
	require.Equal(p.t, last[len(last)-1]+"\n", p.types("updates alice --after "+offset))
	var transaction client.Transaction
	require.NoError(p.t, json.Unmarshal([]byte(p.types("updates alice --json --after "+offset)), &transaction))
	require.NotEmpty(p.t, transaction.Events)

	following := start(p.t, nil, p.arguments("updates bob --follow --after "+offset)...)
	file := filepath.Join(p.t.TempDir(), "commands.json")
	require.NoError(p.t, os.WriteFile(file, []byte(`{"commands":[{"ExerciseCommand":{
		"templateId":"#splice-amulet:Splice.Amulet:Amulet","contractId":"`+coins[0].ContractID+`","choice":"Archive",
		"choiceArgument":{}}}]}`), 0o600))
	p.mistakes(
		mistake{"submit " + file, 1, []string{"actAs"}},
		mistake{"submit " + file + " --act-as bob", 1, []string{"DSO::"}},
		mistake{"submit /nowhere", 2, []string{"open /nowhere"}},
		mistake{"submit " + filepath.Join(p.node.dir, "lock"), 2, []string{"is not a JSON object of commands"}},
		mistake{"updates alice --after=-1", 2, []string{"--after=-1: an offset must not be negative"}},
	)
	require.NoError(p.t, os.WriteFile(file, []byte(`{"commands":[{"CreateCommand":{
		"templateId":"#splice-wallet-payments:Splice.Wallet.Payment:Nonsense","createArguments":{}}}]}`), 0o600))
	p.mistakes(mistake{"submit " + file + " --act-as bob", 1, []string{"Nonsense"}})
	p.types("send alice bob 1 --note tea")
	following.waitFor(p.t, "Amulet")
}
