package walletapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

// commandID derives a command id from what makes two requests the same change (upstream: the method's name, and a hash
// of the parties and the other distinguishing values).
func commandID(method string, parties []ledger.Party, discriminators ...string) string {
	hash := sha256.New()
	write := func(text string) { fmt.Fprintf(hash, "%d:%s", len(text), text) }
	fmt.Fprintf(hash, "%d;", len(parties))
	for _, party := range parties {
		write(string(party))
	}
	for _, text := range discriminators {
		write(text)
	}
	return method + "_" + hex.EncodeToString(hash.Sum(nil))
}

// composeChoice composes a choice of the user's WalletAppInstall; its result is the answer.
func composeChoice[R, A any](
	a *API, w validator.Owner, choice string, argument A,
) (composed validator.Composed[R], err error) {
	made, err := validator.ThroughWallet(a.Base, w, "", choice, argument)
	return validator.ComposedOf[R](a.Base, w, made), err
}

// emptyAnswer is a change with an empty answer.
type emptyAnswer = validator.Composed[endpoint.Content]

// withEmptyAnswer replaces the answer by an empty one.
func withEmptyAnswer[R any](c validator.Composed[R], err error) (emptyAnswer, error) {
	return validator.MapAnswer(c, func(R) (none endpoint.Content, err error) { return none, nil }), err
}

// nameLifetime is how long a caller's name deduplicates a change that has no tracking id (upstream's duration).
const nameLifetime = 24 * time.Hour

// composePayment composes a choice of the user's WalletAppInstall whose argument names coin of the wallet. Its result
// is the answer.
func composePayment[R, A any](
	a *API, w validator.Owner, commandID, choice string, compose func(plan.View) (A, error),
) validator.Composed[R] {
	c := validator.ComposedOf[R](a.Base, w, validator.Change{})
	c.Payer = w.Party
	c.Compose = func(v plan.View) (validator.Change, error) {
		argument, err := compose(v)
		if err != nil {
			return validator.Change{}, err
		}
		made, err := validator.ThroughWallet(a.Base, w, commandID, choice, argument)
		made.Purse = purseOf(argument)
		if commandID != "" {
			made.Deduplication = &ledger.DeduplicationPeriod{Duration: new(nameLifetime)}
		}
		return made, err
	}
	return c
}

// purseOf returns what the choice with this argument takes from the wallet.
func purseOf(argument any) plan.Purse {
	switch argument.(type) {
	case walletapp.InstallTransferFactoryTransfer, walletapp.InstallAllocationFactoryAllocate:
		return plan.Holdings
	default:
		return plan.Coin
	}
}

// composeOperation composes one operation with a user's coin; its outcome is the answer. compose may be called more
// than once.
func (a *API) composeOperation(
	ctx context.Context, w validator.Owner, commandID string,
	compose func(plan.Network, plan.View) (walletapp.AmuletOperation, []coin.TransferInput, error),
) validator.Composed[walletapp.AmuletOperationOutcome] {
	batch := composePayment[walletapp.InstallExecuteBatchResult](a, w, commandID, "WalletAppInstall_ExecuteBatch",
		func(v plan.View) (none walletapp.InstallExecuteBatch, err error) {
			n, err := a.Network(ctx)
			if err != nil {
				return none, err
			}
			operation, inputs, err := compose(n, v)
			return walletapp.InstallExecuteBatch{
				Context: n.Payment(), Inputs: inputs, Operations: []walletapp.AmuletOperation{operation},
			}, err
		})
	return validator.MapAnswer(batch, func(
		result walletapp.InstallExecuteBatchResult,
	) (none walletapp.AmuletOperationOutcome, err error) {
		if len(result.Outcomes) != 1 {
			return none, fault.Internal(errors.New("a batch of one operation must have one outcome"))
		}
		return result.Outcomes[0], nil
	})
}

// outcomeOf returns the outcome, which must be of the expected kind.
func outcomeOf[T any](outcome *T) (none T, err error) {
	if outcome == nil {
		return none, fault.Internal(errors.New("the outcome belongs to another kind of wallet operation"))
	}
	return *outcome, nil
}

type contractRequest struct {
	ID string `path:"contract_id" doc:"The contract"`
}
