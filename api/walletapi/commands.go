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
		made.Purse = purseOf(argument)
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

// purseOf is what a choice of a wallet takes that has such an argument.
func purseOf(argument any) plan.Purse {
	switch argument.(type) {
	case walletapp.InstallTransferFactoryTransfer, walletapp.InstallAllocationFactoryAllocate:
		return plan.Holdings
	default:
		return plan.Coin
	}
}

// submitFresh makes a change that names coin of a party, which another change of the same wallet may use up before this
// one is made: then it is composed anew. Where the coin that it can take is too little and the wallet has more, that is
// merged first. All that compose returns must have the same command id.
func (a *API) submitFresh(
	ctx context.Context, payer ledger.Party, compose func() (change, error),
) (ledger.Update, error) {
	for try, merges := 1, 0; ; try++ {
		made, err := inTurn(ctx, compose)
		if err != nil {
			return ledger.Update{}, err
		}
		update, err := a.submit(ctx, made)
		if err == nil {
			return update, nil
		}
		if !fault.ContractNotFound.Matches(err) {
			merge, failed := a.planMerge(ctx, payer, made.Purse, err)
			switch {
			case failed != nil || merge == nil:
				return update, cmp.Or(failed, err)
			case try == changes.MaxTries:
				return update, tooScattered(err, merges)
			}
			if err := a.merge(ctx, *merge); err != nil {
				return update, err
			}
			merges++
		} else if try == changes.MaxTries {
			return update, err
		}
		changes.AttemptOf(ctx).Again()
	}
}

// tooScattered says what to do about a payment that needs more merges than one request makes.
func tooScattered(refusal error, merges int) error {
	lacking, ok := fault.As(refusal)
	if !ok {
		return refusal
	}
	return lacking.WithHint(fmt.Sprintf("The wallet has the coin, but in more contracts than one payment takes. This "+
		"request has merged coin %d times, which is as often as one request does: send it again to go on.", merges))
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

// planMerge composes the merge of the largest coin of a party's wallet after a payment was refused for want of coin.
// It is nil where that does not help. Each time there are fewer coins, so that it comes to an end.
func (a *API) planMerge(
	ctx context.Context, payer ledger.Party, purse plan.Purse, refusal error,
) (*plan.Action, error) {
	const payment = "payment"
	lacking, ok := fault.As(refusal)
	if !ok || changes.PlanOf(ctx) != nil {
		return nil, nil //nolint:nilnil // as the comment above says
	}
	v := a.view(ctx)
	w, ok, err := plan.WalletOf(v, payer)
	if err != nil || !ok {
		return nil, err
	}
	return plan.MergeFirst(v, w, purse, payment, &plan.Refused{CommandID: payment, Fault: lacking})
}

// merge makes a merge. Others that use the wallet at once may have spent some of its coin: that is no failure.
func (a *API) merge(ctx context.Context, merge plan.Action) error {
	unnamed := asChange(merge)
	unnamed.CommandID = "" // requests that merge the same coin at once must not be in each other's way
	_, err := a.submit(changes.Without(ctx), unnamed)
	if fault.ContractNotFound.Matches(err) {
		return nil
	}
	return err
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
