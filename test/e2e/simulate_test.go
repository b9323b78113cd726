package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
)

// refusing are notes whose shared text must not be "secret+". The function that fails is a tail call.
func refusing(version string) string {
	return strings.NewReplacer(
		"val one:", `val guard: Text -> ContractId N:Note -> Update (ContractId N:Note) = \(t: Text) (c: ContractId N:Note) ->
			case EQUAL @Text t "secret" of
				True -> loc(N, 9, 4, 9, 20) (ERROR @(Update (ContractId N:Note)) "a secret is not shared")
				| False -> upure @(ContractId N:Note) c;
			val one:`,
		"to create @N:Note (N:Note {", `to ubind c: ContractId N:Note <- create @N:Note (N:Note {`,
		`"+" });`, `"+" }) in loc(N, 21, 6, 21, 30) (N:guard (N:Note {text} this) c);`,
	).Replace(dartest.Notes("notes", version, ""))
}

// strict is a newer version of the notes that passes the check of upgrades and refuses the text "secret".
func strict() string {
	return strings.Replace(refusing("2.0.0"), "precondition True",
		`precondition case EQUAL @Text (N:Note {text} this) "secret" of True -> False | False -> True`, 1)
}

// simulation is a node with notes of alice.
type simulation struct {
	t     *testing.T
	node  *upNode
	alice string
	notes map[string]string // by text
}

func newSimulation(t *testing.T) *simulation {
	t.Helper()
	s := &simulation{t: t, node: up(t, dataDir(t)), notes: map[string]string{}}
	admin := s.node.admin()
	var err error
	s.alice, err = admin.AllocateParty(t.Context(), "alice", "")
	require.NoError(t, err)
	_, err = admin.AllocateParty(t.Context(), "bob", "")
	require.NoError(t, err)
	require.NoError(t, admin.GrantRights(t.Context(), "ledger-api-user", client.CanActAs(s.alice)))
	require.NoError(t, admin.UploadDAR(t.Context(), dartest.Build(t, refusing("1.0.0"))))
	for _, text := range []string{"open", "secret"} {
		s.run(0, "submit", s.file(fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note","createArguments":
			{"owner":%q,"reader":%q,"text":%q}}}`, s.alice, s.alice, text)), "--as", "alice")
	}
	for _, contract := range s.contracts() {
		var note struct{ Text string }
		require.NoError(t, json.Unmarshal(contract.CreateArgument, &note))
		s.notes[note.Text] = contract.ContractID
	}
	return s
}

// file writes a file with a command.
func (s *simulation) file(command string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "commands.json")
	require.NoError(s.t, os.WriteFile(path, []byte(`{"commands":[`+command+`]}`), 0o600))
	return path
}

// share is a file that shares a note with bob.
func (s *simulation) share(text string) string {
	s.t.Helper()
	bob := strings.Replace(s.alice, "alice::", "bob::", 1)
	return s.file(fmt.Sprintf(`{"ExerciseCommand":{"templateId":"#notes:N:Note","contractId":%q,"choice":"Share",
		"choiceArgument":{"reader":%q}}}`, s.notes[text], bob))
}

// run runs a command with an exit code, and returns its output and errors.
func (s *simulation) run(code int, arguments ...string) (output, errors string) {
	s.t.Helper()
	ended := run(s.t, nil, append(arguments, "--data-dir", s.node.dir)...)
	require.Equal(s.t, code, ended.exitCode(s.t), "it said: %s", ended.stderr)
	return ended.stdout.String(), ended.stderr.String()
}

// contracts are the active contracts that alice sees. The node's own automation may commit others.
func (s *simulation) contracts() []client.CreatedEvent {
	s.t.Helper()
	end, err := s.node.admin().LedgerEnd(s.t.Context())
	require.NoError(s.t, err)
	found, err := s.node.admin().ActiveContracts(s.t.Context(), end, s.alice)
	require.NoError(s.t, err)
	return found
}

// TestSimulate_ShowsWhatCommandsWouldDo rehearses commands and an upload on a node. Nothing is written.
func TestSimulate_ShowsWhatCommandsWouldDo(t *testing.T) {
	t.Parallel()
	s := newSimulation(t)
	before := s.contracts()

	output, _ := s.run(0, "simulate", s.share("open"), "--as", "alice")
	require.Regexp(t, `^The submission would be accepted, for \d+ bytes of traffic. Nothing was written.

  the transaction, by alice
    exercise Share on N:Note 00[0-9a-f]{8}…, by alice
    └ create N:Note 00[0-9a-f]{8}…, signed by alice

  what each party would see
    alice: all of it
    bob: 1 of 2 nodes
      create N:Note 00[0-9a-f]{8}…, signed by alice
$`, output)
	output, _ = s.run(0, "simulate", s.share("open"), "--as", "alice", "--json")
	require.Contains(t, output, `"costEstimation"`)

	output, errors := s.run(1, "simulate", s.share("secret"), "--as", "alice")
	require.Contains(t, errors, "a secret is not shared")
	require.Contains(t, output, "it fails here: N:guard at N:10:5")
	require.Regexp(t, `call stack, the innermost first\n    N:guard at N:10:5\n.*N:22:7`, output)
	require.Regexp(t, `the transaction until then, by alice
    exercise Share on N:Note 00[0-9a-f]{8}…, by alice
    └ create N:Note 00[0-9a-f]{8}…, signed by alice`, output)
	output, _ = s.run(1, "simulate", s.share("secret"), "--as", "alice", "--json")
	require.Contains(t, output, `"refusalTrace"`)

	dar := filepath.Join(t.TempDir(), "notes-2.0.0.dar")
	require.NoError(t, os.WriteFile(dar, dartest.Build(t, strict()), 0o600))
	output, errors = s.run(1, "dar", "check", dar)
	require.Contains(t, output, dar+`: loses contracts
  #notes:N:Note: 2 active contracts, 1 not usable
    1: TEMPLATE_PRECONDITION_VIOLATED, such as contract `+s.notes["secret"]+`
      Update failed due to precondition violation`)
	require.Contains(t, errors, dar+": commands could no longer use 1 of 2 active contracts")
	require.Equal(t, before, s.contracts())

	s.run(0, "dar", "upload", dar) // it was right
	_, errors = s.run(1, "submit", s.share("secret"), "--as", "alice")
	require.Contains(t, errors, "precondition violation")
}
