package registry

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// NotFoundError says that a contract for the answer is missing. Its text is the answer, with status 404.
type NotFoundError struct{ Text string }

// Error is the text.
func (e *NotFoundError) Error() string { return e.Text }

func notFound(format string, args ...any) error {
	return &NotFoundError{Text: fmt.Sprintf(format, args...)}
}

// Network has the contracts of a network for contexts, all of one DSO.
type Network struct {
	AmuletRules ledger.Contract
	// Factory is the ExternalPartyAmuletRules: transfer factory and allocation factory of the coin.
	Factory ledger.Contract
	// OpenRound is the newest round that is open.
	OpenRound ledger.Contract
	// ConfigState is the configuration state with the latest end.
	ConfigState ledger.Contract
}

// NetworkOf selects the network's contracts at a time among active contracts. It ignores contracts of other templates,
// and rounds that are not open yet. A [NotFoundError] names the contract that is missing.
func NetworkOf(packages *ledger.Packages, active []ledger.Contract, at time.Time) (Network, error) {
	var network Network
	var rounds []openRound
	latest := lf.MinTimestamp()
	for _, contract := range active {
		switch contract.Template.QualifiedName() {
		case "Splice.AmuletRules:AmuletRules":
			network.AmuletRules = contract
		case "Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules":
			network.Factory = contract
		case "Splice.Round:OpenMiningRound":
			round, err := ledger.DecodePayload[coin.OpenMiningRound](packages, contract)
			if err != nil {
				return Network{}, err
			}
			rounds = append(rounds, openRound{contract, round})
		case "Splice.ExternalPartyConfigState:ExternalPartyConfigState":
			state, err := ledger.DecodePayload[coin.ExternalPartyConfigState](packages, contract)
			if err != nil {
				return Network{}, err
			}
			if state.TargetArchiveAfter > latest {
				latest, network.ConfigState = state.TargetArchiveAfter, contract
			}
		}
	}
	newest, _ := coin.NewestRound(rounds, func(r openRound) coin.OpenMiningRound { return r.payload }, lf.TimestampOf(at))
	network.OpenRound = newest.contract
	return network, network.complete()
}

type openRound struct {
	contract ledger.Contract
	payload  coin.OpenMiningRound
}

func (n Network) complete() error {
	switch {
	case n.OpenRound.ID == "":
		return notFound("No open usable OpenMiningRound found.")
	case n.AmuletRules.ID == "":
		return notFound("No AmuletRules found.")
	case n.Factory.ID == "":
		return notFound("No ExternalPartyAmuletRules found.")
	case n.ConfigState.ID == "":
		return notFound("No ExternalPartyConfigState found.")
	default:
		return nil
	}
}

// ValidPreapproval is the preapproval for a transfer at the time, out of all active ones of its receiver: the one that
// expires last. It is nil if none is valid any more.
func ValidPreapproval(
	packages *ledger.Packages, preapprovals []ledger.Contract, at time.Time,
) (*ledger.Contract, *coin.TransferPreapproval, error) {
	var found *ledger.Contract
	var valid *coin.TransferPreapproval
	for _, contract := range preapprovals {
		preapproval, err := ledger.DecodePayload[coin.TransferPreapproval](packages, contract)
		if err != nil {
			return nil, nil, err
		}
		if preapproval.ExpiresAt <= lf.TimestampOf(at) || valid != nil && preapproval.ExpiresAt <= valid.ExpiresAt {
			continue
		}
		found, valid = &contract, &preapproval
	}
	return found, valid, nil
}
