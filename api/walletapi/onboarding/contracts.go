package onboarding

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// openWallet creates the missing contracts of a user's wallet in one transaction: the WalletAppInstall of the user, and
// the ValidatorRight of the party, which users of one party share.
func (a *API) openWallet(ctx context.Context, user string, party ledger.Party) error {
	return a.ensure(ctx, "open-wallet", party, ledger.SortedParties([]ledger.Party{party, a.Node.Operator}),
		func() ([]ledger.Command, error) {
			var commands []ledger.Command
			_, installed, err := a.InstallAt(ctx, user, party)
			if err != nil {
				return nil, err
			}
			if !installed {
				commands, err = appendCreate(a, commands, walletapp.WalletAppInstall{
					DSOParty: a.Node.DSO, ValidatorParty: a.Node.Operator, EndUserName: user, EndUserParty: party,
				})
				if err != nil {
					return nil, err
				}
			}
			_, granted, err := a.ValidatorRightOf(ctx, party)
			if err != nil || granted {
				return commands, err
			}
			return appendCreate(a, commands, coin.ValidatorRight{DSO: a.Node.DSO, User: party, Validator: a.Node.Operator})
		})
}

// OpenOperatorWallet gives the operator the contracts of a network's validator, if they are missing: the wallet of its
// user, and the validator license.
func (a *API) OpenOperatorWallet(ctx context.Context) error {
	if err := a.openWallet(ctx, a.Node.OperatorUser, a.Node.Operator); err != nil {
		return err
	}
	return a.ensure(ctx, "license-validator", a.Node.Operator, []ledger.Party{a.Node.DSO},
		func() ([]ledger.Command, error) {
			licensed := false
			err := validator.EachActive(ctx, a.Base, a.Node.Operator, func(c validator.Contract[coin.ValidatorLicense]) bool {
				licensed = c.Payload.Validator == a.Node.Operator
				return !licensed
			})
			if err != nil || licensed {
				return nil, err
			}
			return appendCreate(a, nil, coin.ValidatorLicense{
				Validator: a.Node.Operator, Sponsor: a.Node.Operator, DSO: a.Node.DSO,
				LastActiveAt: new(lf.TimestampOf(a.Now())),
			})
		})
}

// ensure submits the commands that missing returns, until there are none. It makes each change of a party once: a
// command that was accepted after the call of missing is a duplicate, and ensure calls missing again.
func (a *API) ensure(
	ctx context.Context, what string, about ledger.Party, actAs []ledger.Party,
	missing func() ([]ledger.Command, error),
) error {
	leave, err := a.Alone(ctx, about)
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
		completion, err := a.Send(ctx, ledger.Submission{
			Key: uuid.NewString(), Identity: ledger.DefaultUser(a.Node.OperatorUser),
			CommandID:    what + ":" + uuid.NewSHA1(uuid.NameSpaceOID, []byte(about)).String(),
			SubmissionID: uuid.NewString(), Deduplication: &ledger.DeduplicationPeriod{Offset: &head.Offset},
			ActAs: actAs, Commands: commands, ReceivedAt: a.Now().UTC(), Trace: endpoint.Trace(ctx), Kind: ledger.KindWallet,
		})
		if err != nil {
			return err
		}
		if completion.Refusal != nil && !fault.DuplicateCommand.Matches(completion.Refusal) {
			return completion.Refusal
		}
	}
}

func appendCreate[T any](a *API, commands []ledger.Command, payload T) ([]ledger.Command, error) {
	name, err := ledger.TemplateName[T](a.Packages)
	if err != nil {
		return nil, fault.Internal(err)
	}
	argument, err := ledger.Encode(a.Packages, payload)
	if err != nil {
		return nil, fault.Internal(err)
	}
	return append(commands, ledger.Command{Create: &ledger.CreateCommand{Template: name, Argument: argument}}), nil
}

func archive(c ledger.Contract) ledger.Command {
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: c.Template, Contract: c.ID, Choice: "Archive", Argument: json.RawMessage(`{}`),
	}}
}
