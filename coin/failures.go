package coin

import (
	"fmt"
	"strconv"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

const errorPrefix = "splice.lfdecentralizedtrust.org/"

func insufficientFunds(missing decimal.Decimal) error {
	return fault.UserFailure(fault.InvalidGivenCurrentSystemStateOther, errorPrefix+"insufficient-funds",
		fmt.Sprintf("Insufficient funds: %s is missing to complete this transfer.", missing.Show()),
		map[string]string{"requiredAmount": missing.Show()}).
		WithHint("Add inputs worth at least the missing amount, or transfer less.")
}

func maximumInputsExceeded(inputs int, limit int64) error {
	return fault.UserFailure(fault.InvalidIndependentOfSystemState, errorPrefix+"maximum-inputs-exceeded",
		fmt.Sprintf("A transfer has %d inputs, more than the maximum of %d.", inputs, limit), nil).
		WithHint("Merge holdings in several smaller transfers first.")
}

func maximumOutputsExceeded(outputs int, limit int64) error {
	return fault.UserFailure(fault.InvalidIndependentOfSystemState, errorPrefix+"maximum-outputs-exceeded",
		fmt.Sprintf("A transfer has %d outputs, more than the maximum of %d.", outputs, limit), nil).
		WithHint("Split the outputs over several transfers.")
}

func unknownSynchronizer(id string) error {
	return fault.UserFailure(fault.InvalidIndependentOfSystemState, errorPrefix+"unknown-synchronizer",
		fmt.Sprintf("Unknown synchronizer %q: the network does not sell traffic for it.", id),
		map[string]string{"synchronizerId": id}).
		WithHint("Name one of the requiredSynchronizers of AmuletRules.")
}

func insufficientTopupAmount(requested, minimum int64) error {
	return fault.UserFailure(fault.InvalidGivenCurrentSystemStateOther, errorPrefix+"insufficient-topup-amount",
		fmt.Sprintf("The requested top-up of %d bytes is below the minimum of %d bytes.", requested, minimum),
		map[string]string{
			"requestedTopupAmount": strconv.FormatInt(requested, 10), "minTopupAmount": strconv.FormatInt(minimum, 10),
		}).
		WithHint("Buy at least the minimum.")
}

// abortingChoice is a choice that the contracts keep only for its signature: since version 0.1.17 it always fails.
func abortingChoice[R, T, A any](
	name string, consuming bool, controllers func(payload T, argument A) []Party,
) ledger.ChoiceOf[T] {
	return deprecatedChoice[R](name, "0.1.17", consuming, controllers)
}

// deprecatedChoice is a choice that fails since the given version.
func deprecatedChoice[R, T, A any](
	name, since string, consuming bool, controllers func(payload T, argument A) []Party,
) ledger.ChoiceOf[T] {
	return ledger.Choice[T, A, R]{
		Consuming:   consuming,
		Controllers: controllers,
		Body: func(*ledger.Tx, lf.CID[T], T, A) (none R, err error) {
			return none, ledger.Abort("Choice %s is no longer supported since splice-amulet-%s", name, since)
		},
	}
}

// checkExpectedDSO protects the caller from rules contracts of another network: the caller must name its DSO.
func checkExpectedDSO(actual Party, expected *Party) error {
	switch {
	case expected == nil:
		return ledger.Abort("Expected DSO party not set by the caller: set expectedDso to the DSO party of your network")
	case *expected != actual:
		return ledger.Abort("Expected DSO party %s does not match the actual DSO party %s",
			quoted(*expected), quoted(actual))
	default:
		return nil
	}
}
