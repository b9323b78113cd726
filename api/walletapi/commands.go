package walletapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
)

// commandID names a change by what makes it the same change when it is asked for again (upstream: the method's name,
// and a hash over the parties and what else tells changes apart).
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

// through makes a change in a user's wallet, a choice of its WalletAppInstall, and returns the choice's result.
func through[R, A any](
	ctx context.Context, a *API, w walletUser, commandID, choice string, argument A,
) (result R, err error) {
	change, err := throughWallet(a, w, commandID, choice, argument)
	if err != nil {
		return result, err
	}
	update, err := a.submit(ctx, change)
	if err != nil {
		return result, err
	}
	return resultOf[R](a, update)
}

// namedFor is how long a change counts that its caller has named, and no tracking id keeps (upstream's duration).
const namedFor = 24 * time.Hour

// throughFresh is [through] for arguments that name coin, as [API.submitFresh] makes changes.
func throughFresh[R, A any](
	ctx context.Context, a *API, w walletUser, commandID, choice string, compose func() (A, error),
) (result R, err error) {
	update, err := a.submitFresh(ctx, w.party, func() (change, error) {
		argument, err := compose()
		if err != nil {
			return change{}, err
		}
		made, err := throughWallet(a, w, commandID, choice, argument)
		if commandID != "" {
			made.Deduplication = &ledger.DeduplicationPeriod{Duration: new(namedFor)}
		}
		return made, err
	})
	if err != nil {
		return result, err
	}
	return resultOf[R](a, update)
}

// submitFresh makes a change that names coin of a party, which another change of the same wallet may use up before this
// one is made: then it is composed anew. Where the coin that it can take is too little and the wallet has more, that is
// merged first. All that compose returns must have the same command id.
func (a *API) submitFresh(
	ctx context.Context, payer ledger.Party, compose func() (change, error),
) (ledger.Update, error) {
	for try := 1; ; try++ {
		made, err := inTurn(ctx, compose)
		if err != nil {
			return ledger.Update{}, err
		}
		update, err := a.submit(ctx, made)
		if err == nil || try == changes.MaxTries {
			return update, err
		}
		if !fault.ContractNotFound.Matches(err) {
			if merged, failed := a.mergeFirst(ctx, payer, err); failed != nil || !merged {
				return update, cmp.Or(failed, err)
			}
		}
		changes.AttemptOf(ctx).Again()
	}
}

// inTurn composes a change in a turn of those who read: what it reads costs as much, whether or not the change is made.
func inTurn(ctx context.Context, compose func() (change, error)) (change, error) {
	end, err := endpoint.ReadInTurn(ctx)
	if err != nil {
		return change{}, err
	}
	defer end()
	return compose()
}

// mergeFirst makes one coin of the largest of a party's wallet after a payment was refused for want of coin, and
// reports whether that helps. Each time there are fewer coins, so that it comes to an end.
func (a *API) mergeFirst(ctx context.Context, payer ledger.Party, refusal error) (merged bool, err error) {
	const payment = "payment"
	lacking, ok := fault.As(refusal)
	if !ok || changes.PlanOf(ctx) != nil {
		return false, nil
	}
	v := a.view(ctx)
	w, ok, err := plan.WalletOf(v, payer)
	if err != nil || !ok {
		return false, err
	}
	merge, err := plan.MergeFirst(v, w, payment, &plan.Refused{CommandID: payment, Fault: lacking})
	if err != nil || merge == nil {
		return false, err
	}
	_, err = a.submit(changes.Without(ctx), asChange(*merge))
	if fault.ContractNotFound.Matches(err) { // others use the wallet, too
		return true, nil
	}
	return err == nil, err
}

// operate does one operation with a user's coin and returns its outcome. compose looks for what the operation is about;
// it may be called again.
func (a *API) operate(
	ctx context.Context, w walletUser, commandID string,
	compose func(network) (walletapp.AmuletOperation, []coin.TransferInput, error),
) (none walletapp.AmuletOperationOutcome, err error) {
	result, err := throughFresh[walletapp.InstallExecuteBatchResult](ctx, a, w, commandID, "WalletAppInstall_ExecuteBatch",
		func() (none walletapp.InstallExecuteBatch, err error) {
			n, err := a.network(ctx)
			if err != nil {
				return none, err
			}
			operation, inputs, err := compose(n)
			return walletapp.InstallExecuteBatch{
				Context: n.payment(), Inputs: inputs, Operations: []walletapp.AmuletOperation{operation},
			}, err
		})
	if err != nil {
		return none, err
	}
	if len(result.Outcomes) != 1 {
		return none, fault.Internal(errors.New("a batch of one operation has not one outcome"))
	}
	return result.Outcomes[0], nil
}

// outcomeOf is the outcome of an operation, which must be of its kind.
func outcomeOf[T any](outcome *T) (none T, err error) {
	if outcome == nil {
		return none, fault.Internal(errors.New("an operation of a wallet has the outcome of another"))
	}
	return *outcome, nil
}

// mustBe refuses who is not the party that decides. A wallet's choices have the operator's authority besides the
// user's, so without this the operator's contracts would be anybody's.
func (w walletUser) mustBe(decides ledger.Party, choice string) error {
	if w.party == decides {
		return nil
	}
	return fault.DamlAuthorizationError.New("%s needs the authority of %s, but the wallet is that of %s",
		choice, decides, w.party)
}

// contractRequest names a contract in the path.
type contractRequest struct {
	ID string `path:"contract_id" doc:"The contract"`
}
