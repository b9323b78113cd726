package walletapi

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// openWallet creates the contracts of a user's wallet that are missing, in one transaction: the WalletAppInstall of the
// user, and the ValidatorRight of the party, which users of one party share.
func (a *API) openWallet(ctx context.Context, user string, party ledger.Party) error {
	return a.ensure(ctx, "open-wallet", party, ledger.SortedParties([]ledger.Party{party, a.node.Operator}),
		func() ([]ledger.Command, error) {
			var commands []ledger.Command
			_, installed, err := a.installAt(ctx, user, party)
			if err != nil {
				return nil, err
			}
			if !installed {
				commands, err = appendCreate(a, commands, walletapp.WalletAppInstall{
					DSOParty: a.node.DSO, ValidatorParty: a.node.Operator, EndUserName: user, EndUserParty: party,
				})
				if err != nil {
					return nil, err
				}
			}
			_, granted, err := a.validatorRightOf(ctx, party)
			if err != nil || granted {
				return commands, err
			}
			return appendCreate(a, commands, coin.ValidatorRight{DSO: a.node.DSO, User: party, Validator: a.node.Operator})
		})
}

// OpenOperatorWallet gives the operator what the validator of a network has: the wallet of its user, and the license to
// validate. It does nothing when they are there.
func (a *API) OpenOperatorWallet(ctx context.Context) error {
	if err := a.openWallet(ctx, a.node.OperatorUser, a.node.Operator); err != nil {
		return err
	}
	return a.ensure(ctx, "license-validator", a.node.Operator, []ledger.Party{a.node.DSO},
		func() ([]ledger.Command, error) {
			licensed := false
			err := eachActive(ctx, a, a.node.Operator, func(c contract[coin.ValidatorLicense]) bool {
				licensed = c.Payload.Validator == a.node.Operator
				return !licensed
			})
			if err != nil || licensed {
				return nil, err
			}
			return appendCreate(a, nil, coin.ValidatorLicense{
				Validator: a.node.Operator, Sponsor: a.node.Operator, DSO: a.node.DSO,
				LastActiveAt: new(lf.TimestampOf(a.now())),
			})
		})
}

// validatorRightOf finds the right of the operator to the validator rewards of a party.
func (a *API) validatorRightOf(
	ctx context.Context, party ledger.Party,
) (found contract[coin.ValidatorRight], ok bool, err error) {
	err = eachActive(ctx, a, party, func(c contract[coin.ValidatorRight]) bool {
		if c.Payload.User == party && c.Payload.Validator == a.node.Operator {
			found, ok = c, true
		}
		return !ok
	})
	return found, ok, err
}

// ensure submits the commands that missing finds to be missing, until there are none. What is decided about one party
// happens once: a command that was accepted after missing had looked is a duplicate, and missing looks again.
func (a *API) ensure(
	ctx context.Context, what string, about ledger.Party, actAs []ledger.Party,
	missing func() ([]ledger.Command, error),
) error {
	leave, err := a.ensuring.enter(ctx, about)
	if err != nil {
		return err
	}
	defer leave()
	for {
		head, err := a.record.Head(ctx)
		if err != nil {
			return err
		}
		commands, err := missing()
		if err != nil || len(commands) == 0 {
			return err
		}
		completion, workflowID, err := a.submitter.SubmitAndTrace(ctx, ledger.Submission{
			Key: uuid.NewString(), Identity: ledger.DefaultUser(a.node.OperatorUser),
			CommandID:    what + ":" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(about)).String(),
			SubmissionID: uuid.NewString(), Deduplication: &ledger.DeduplicationPeriod{Offset: &head.Offset},
			ActAs: actAs, Commands: commands, ReceivedAt: a.now().UTC(), Trace: endpoint.Trace(ctx), Kind: ledger.KindWallet,
		})
		tellWorkflow(ctx, workflowID)
		if err != nil {
			return err
		}
		if completion.Refusal != nil && !fault.DuplicateCommand.Matches(completion.Refusal) {
			return completion.Refusal
		}
	}
}

func appendCreate[T any](a *API, commands []ledger.Command, payload T) ([]ledger.Command, error) {
	name, err := ledger.TemplateName[T](a.packages)
	if err != nil {
		return nil, fault.Internal(err)
	}
	argument, err := ledger.Encode(a.packages, payload)
	if err != nil {
		return nil, fault.Internal(err)
	}
	return append(commands, ledger.Command{Create: &ledger.CreateCommand{Template: name, Argument: argument}}), nil
}

// archive is the command that archives a contract.
func archive(c ledger.Contract) ledger.Command {
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: c.Template, Contract: c.ID, Choice: "Archive", Argument: json.RawMessage(`{}`),
	}}
}

// turns lets one request at a time deal with a party. The zero value is ready.
type turns struct {
	mu   sync.Mutex
	held map[ledger.Party]chan struct{}
}

// enter waits for the party's turn, until ctx ends.
func (t *turns) enter(ctx context.Context, party ledger.Party) (leave func(), err error) {
	for {
		t.mu.Lock()
		current, busy := t.held[party]
		if !busy {
			if t.held == nil {
				t.held = map[ledger.Party]chan struct{}{}
			}
			mine := make(chan struct{})
			t.held[party] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.held, party)
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-current:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
