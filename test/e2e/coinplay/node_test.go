package coinplay_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/node/bootstrap"
)

// The names of templates and choices for clients.
const (
	rulesTemplate       = "#splice-amulet:Splice.AmuletRules:AmuletRules"
	preapprovalTemplate = "#splice-amulet:Splice.AmuletRules:TransferPreapproval"
	roundTemplate       = "#splice-amulet:Splice.Round:OpenMiningRound"
	externalRules       = "#splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"
	stateTemplate       = "#splice-amulet:Splice.ExternalPartyConfigState:ExternalPartyConfigState"
	amuletTemplate      = "#splice-amulet:Splice.Amulet:Amulet"
	lockedTemplate      = "#splice-amulet:Splice.Amulet:LockedAmulet"
	instruction         = "#splice-amulet:Splice.AmuletTransferInstruction:AmuletTransferInstruction"
	factoryInterface    = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferFactory"
	instructionInterface = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferInstruction"
	offerTemplate         = "#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer"
	acceptedOfferTemplate = "#splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer"
	delegationModule      = "#splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:"
	proposalTemplate      = delegationModule + "MergeDelegationProposal"
	delegationTemplate    = delegationModule + "MergeDelegation"
	utilityTemplate       = delegationModule + "BatchMergeUtility"
)

// node is the write path of a node with the coin, on a fresh database.
type node struct {
	t        *testing.T
	db       *db.DB
	identity ledger.Node
	packages *ledger.Packages
	commits  *activities.Activities
	auditor  *audit.Auditor
	// now is the clock; each submission advances it by a second.
	now                                   time.Time
	rules, round, factory, state, utility ledger.ContractID
}

type object = map[string]any

func newNode(t *testing.T) *node {
	t.Helper()
	opened, err := db.Open(t.Context(), dbtest.URL(t), db.Options{MaxConns: 2})
	require.NoError(t, err)
	n := &node{t: t, db: opened, now: time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)}
	n.packages, err = ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	n.identity, err = bootstrap.Identity(t.Context(), n.db, ledger.DefaultSettings())
	require.NoError(t, err)
	require.NoError(t, bootstrap.Parties(t.Context(), n.db, n.identity, n.now))
	n.auditor, err = audit.New(n.db, n.packages, n.identity.Network())
	require.NoError(t, err)
	n.commits = &activities.Activities{
		DB: n.db, Packages: n.packages, Node: n.identity, Clock: func() time.Time { return n.now },
		Log:     slog.New(slog.DiscardHandler),
		Traffic: coin.TrafficRulesOf(n.member(), n.identity.SynchronizerID),
	}
	genesis, err := bootstrap.Genesis(n.packages, n.identity, ledger.DefaultSettings(), n.now)
	require.NoError(t, err)
	_, refusal := n.commit(genesis)
	require.NoError(t, refusal)
	_, refusal = n.submit([]ledger.Party{n.identity.Operator}, n.create(utilityTemplate,
		object{"operator": n.identity.Operator}))
	require.NoError(t, refusal)
	n.rules, n.factory = n.only(rulesTemplate), n.only(externalRules)
	n.state, n.utility = n.active(stateTemplate)[0].ID, n.only(utilityTemplate)
	for _, round := range n.active(roundTemplate) {
		var payload struct{ OpensAt time.Time }
		require.NoError(t, json.Unmarshal(round.Payload, &payload))
		if !payload.OpensAt.After(n.now) {
			n.round = round.ID
		}
	}
	require.NotEmpty(t, n.round)
	return n
}

// member is the node's participant at its synchronizer.
func (n *node) member() string { return "PAR::" + n.identity.ParticipantID }

func (n *node) party(hint string) ledger.Party {
	n.t.Helper()
	party := n.identity.LocalParty(hint)
	_, err := n.db.AllocateParty(n.t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
	require.NoError(n.t, err)
	return party
}

// template is the id of a template with the name of its package.
func (n *node) template(name string) lf.TypeName {
	n.t.Helper()
	parsed, err := lf.ParseTypeName(name)
	require.NoError(n.t, err)
	resolved, refusal := n.packages.ResolveTemplate(parsed, nil)
	require.Nil(n.t, refusal)
	return resolved
}

// active lists all active contracts of a template, the oldest first.
func (n *node) active(name string) []db.StoredContract {
	n.t.Helper()
	const most = 10_000
	found, err := n.db.ActiveByTemplate(n.t.Context(), n.template(name).String(), most)
	require.NoError(n.t, err)
	return found
}

func (n *node) only(name string) ledger.ContractID {
	n.t.Helper()
	found := n.active(name)
	require.Len(n.t, found, 1)
	return found[0].ID
}

func (n *node) create(name string, payload object) ledger.Command {
	n.t.Helper()
	encoded, err := json.Marshal(payload)
	require.NoError(n.t, err)
	return ledger.Command{Create: &ledger.CreateCommand{Template: n.template(name), Argument: encoded}}
}

func (n *node) exercise(name string, id ledger.ContractID, choice string, argument object) ledger.Command {
	n.t.Helper()
	encoded, err := json.Marshal(argument)
	require.NoError(n.t, err)
	parsed, err := lf.ParseTypeName(name)
	require.NoError(n.t, err)
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: parsed, Contract: id, Choice: choice, Argument: encoded,
	}}
}

// submit commits a command a second later, as parties that read as the DSO. It returns the events.
func (n *node) submit(actAs []ledger.Party, command ledger.Command) ([]ledger.Event, error) {
	n.t.Helper()
	commands, refusal := n.packages.PrepareCommands([]ledger.Command{command}, nil)
	if refusal != nil {
		require.Fail(n.t, "the command is not well-formed", "%v", refusal)
	}
	n.now = n.now.Add(time.Second)
	key := uuid.NewString()
	return n.commit(ledger.Submission{
		Key: key, Identity: ledger.DefaultUser("player"), CommandID: key, SubmissionID: key,
		ActAs:  ledger.SortedParties(actAs),
		ReadAs: []ledger.Party{n.identity.DSO}, Commands: commands, Kind: ledger.KindCommand, ReceivedAt: n.now,
	})
}

func (n *node) commit(submission ledger.Submission) ([]ledger.Event, error) {
	n.t.Helper()
	submission, err := n.commits.Seal(n.t.Context(), submission)
	require.NoError(n.t, err)
	_, err = n.commits.CommitSubmissions(n.t.Context(), activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	require.NoError(n.t, err)
	completion, ok, err := n.db.CompletionBySubmissionKey(n.t.Context(), submission.Key)
	require.NoError(n.t, err)
	require.True(n.t, ok)
	if completion.Refusal != nil {
		return nil, completion.Refusal
	}
	update, ok, err := n.db.UpdateByOffset(n.t.Context(), completion.Offset)
	require.NoError(n.t, err)
	require.True(n.t, ok)
	return update.Events, nil
}

// created is the last created contract of a template in events.
func (n *node) created(rt *rapid.T, events []ledger.Event, name string) ledger.ContractID {
	var id ledger.ContractID
	for _, event := range events {
		if event.Kind == ledger.EventCreate && event.Template == n.template(name) {
			id = event.ContractID
		}
	}
	require.NotEmpty(rt, id, "no %s was created", name)
	return id
}

// balances sums up the payloads of the active contracts by party.
func (n *node) balances(rt *rapid.T) (free, locked map[ledger.Party]coins) {
	type amulet struct {
		Owner  ledger.Party
		Amount struct{ InitialAmount string }
	}
	free, locked = map[ledger.Party]coins{}, map[ledger.Party]coins{}
	for _, contract := range n.active(amuletTemplate) {
		var held amulet
		require.NoError(rt, json.Unmarshal(contract.Payload, &held))
		amount, err := parseCoins(held.Amount.InitialAmount)
		require.NoError(rt, err)
		free[held.Owner] += amount
	}
	for _, contract := range n.active(lockedTemplate) {
		var held struct{ Amulet amulet }
		require.NoError(rt, json.Unmarshal(contract.Payload, &held))
		amount, err := parseCoins(held.Amulet.Amount.InitialAmount)
		require.NoError(rt, err)
		locked[held.Amulet.Owner] += amount
	}
	return free, locked
}

// holdings are the unlocked coins of a party.
func (n *node) holdings(owner ledger.Party) []ledger.ContractID {
	n.t.Helper()
	var ids []ledger.ContractID
	for _, contract := range n.active(amuletTemplate) {
		var held struct{ Owner ledger.Party }
		require.NoError(n.t, json.Unmarshal(contract.Payload, &held))
		if held.Owner == owner {
			ids = append(ids, contract.ID)
		}
	}
	return ids
}
