package bootstrap

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/governance"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/signing"
)

// dsoHint is the hint of the party that administers the coin.
const dsoHint = "DSO"

// participantAdmin is the user that every participant starts with.
const participantAdmin = "participant_admin"

// Identity returns the identity of the installation, and makes it on first use. If several nodes start at once on one
// database, one makes it and all get the same.
func Identity(ctx context.Context, database *db.DB, settings ledger.Settings) (ledger.Node, error) {
	node, ok, err := database.Node(ctx)
	if err != nil || ok {
		return node, err
	}
	fresh, err := newIdentity(settings)
	if err != nil {
		return ledger.Node{}, err
	}
	if _, err := database.InsertNode(ctx, fresh); err != nil {
		return ledger.Node{}, err
	}
	node, _, err = database.Node(ctx)
	return node, err
}

func newIdentity(settings ledger.Settings) (ledger.Node, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return ledger.Node{}, fmt.Errorf("make the node's key: %w", err)
	}
	fingerprint := signing.Fingerprint(public)
	shared := signing.DecentralizedNamespace(fingerprint)
	return ledger.Node{
		ParticipantID:  settings.Participant + "::" + fingerprint,
		SynchronizerID: settings.Synchronizer + "::" + shared,
		Namespace:      fingerprint,
		DSO:            ledger.Party(dsoHint + "::" + shared),
		Operator:       ledger.Party(settings.OperatorHint + "::" + fingerprint),
		OperatorUser:   settings.OperatorUser,
		PrivateKey:     private.Seed(),
	}, nil
}

// Parties allocates the parties that the node itself needs: the first entries of a fresh record.
func Parties(ctx context.Context, database *db.DB, node ledger.Node, now time.Time) error {
	for _, party := range []ledger.Party{node.DSO, node.Operator} {
		known, err := database.Parties(ctx, []ledger.Party{party})
		if err != nil {
			return err
		}
		if len(known) > 0 {
			continue
		}
		_, err = database.HostParty(ctx, db.Hosting{
			Details: ledger.PartyDetails{Party: party, IsLocal: true}, Now: now,
			Entry: func(at ledger.Position) ledger.Update {
				return ledger.NewHosting(node, party, at, ledger.TraceContext{})
			},
		})
		if err := ignoreRace(err, fault.InvalidArgument); err != nil {
			return fmt.Errorf("allocate %s: %w", party, err)
		}
	}
	return nil
}

// Users creates the first users of a fresh node. If any user exists it does nothing: administrators may have deleted
// the others.
func Users(ctx context.Context, database *db.DB, node ledger.Node, settings ledger.Settings) error {
	existing, err := database.Users(ctx, ledger.DefaultIdentityProvider, "", 1)
	if err != nil || len(existing) > 0 {
		return err
	}
	admin := ledger.Right{Kind: ledger.ParticipantAdmin}
	actAsOperator := ledger.Right{Kind: ledger.CanActAs, Party: node.Operator}
	readAsDSO := ledger.Right{Kind: ledger.CanReadAs, Party: node.DSO}
	users := []struct {
		user   ledger.User
		rights []ledger.Right
	}{
		{ledger.User{ID: settings.AdminUser, PrimaryParty: node.Operator}, []ledger.Right{admin, actAsOperator, readAsDSO}},
		{ledger.User{ID: settings.OperatorUser, PrimaryParty: node.Operator}, []ledger.Right{actAsOperator, readAsDSO}},
		{ledger.User{ID: participantAdmin}, []ledger.Right{admin}},
	}
	for _, entry := range users {
		_, err := database.CreateUser(ctx, entry.user, entry.rights)
		if err := ignoreRace(err, fault.UserAlreadyExists); err != nil {
			return fmt.Errorf("create user %s: %w", entry.user.ID, err)
		}
	}
	return nil
}

// ignoreRace drops the refusal that another node was faster.
func ignoreRace(err error, code fault.Code) error {
	if code.Matches(err) {
		return nil
	}
	return err
}

// GenesisKey is the key of the submission that creates the coin. It is constant, so that the submission has one
// completion even if a node submits it several times.
const GenesisKey = "00000000-0000-4000-8000-000000000001"

// Genesis is the submission that creates the contracts of the coin and of its governance.
func Genesis(
	packages *ledger.Packages, node ledger.Node, settings ledger.Settings, now time.Time,
) (ledger.Submission, error) {
	config := coin.DefaultConfig(node.SynchronizerID)
	config.TickDuration = lf.RelTimeOf(settings.RoundTick)
	commands, err := coin.GenesisCommands(packages, coin.Genesis{
		DSO: node.DSO, Config: config, AmuletPrice: settings.CoinPrice, RoundZeroDuration: 2 * settings.RoundTick,
	})
	if err != nil {
		return ledger.Submission{}, err
	}
	founding, err := governance.Founding(packages, governance.SoleOperator(
		node.DSO, node.Operator, node.OperatorUser, node.ParticipantID, node.SynchronizerID))
	if err != nil {
		return ledger.Submission{}, err
	}
	commands = append(commands, founding)
	return ledger.Submission{
		Key: GenesisKey, Identity: ledger.DefaultUser(participantAdmin), CommandID: "genesis", SubmissionID: GenesisKey,
		ActAs: []ledger.Party{node.DSO}, Commands: commands, ReceivedAt: now, Kind: ledger.KindBootstrap,
	}, nil
}
