package walletapi

import (
	"context"
	"errors"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// Choices of the token standard take contexts, which the coin's registry composes.

// registryNetwork finds the contracts that contexts name.
func registryNetwork(v plan.View) (plan.TokenNetwork, error) {
	network, err := plan.TokenNetworkOf(v)
	return network, orNotFound(err)
}

// orNotFound makes a 404 of the registry's NotFoundError.
func orNotFound(err error) error {
	if missing, ok := errors.AsType[*registry.NotFoundError](err); ok {
		return v0.NotFound("%s", missing.Text)
	}
	return err
}

// extraArgs converts a registry's context to the argument of choices.
func extraArgs(context registry.Context) (args token.ExtraArgs, err error) {
	args.Context.Values = map[string]token.AnyValue{}
	for key, value := range context.Values {
		switch content := value.Value.(type) {
		case string:
			id := lf.CID[token.AnyContract](content)
			args.Context.Values[key] = token.AnyValue{ContractID: &id}
		case bool:
			args.Context.Values[key] = token.AnyValue{Bool: &content}
		default:
			return args, fault.Internal(errors.New("the registry's context has a " + value.Tag + " at " + key))
		}
	}
	return args, nil
}

// findActive finds a contract; nil if it is archived.
func (a *API) findActive(ctx context.Context, id ledger.ContractID) (*ledger.Contract, error) {
	found, ok, err := a.record.NetworkContract(ctx, id)
	if err != nil || !ok || found.Archived != nil {
		return nil, err
	}
	return &found.Contract, nil
}

// instrument is the token standard's name of the coin.
func (a *API) instrument() token.InstrumentID {
	return token.InstrumentID{Admin: a.Node.DSO, ID: coin.InstrumentName}
}

// contractIDs converts typed ids.
func contractIDs[T any](ids []lf.CID[T]) []ledger.ContractID {
	plain := make([]ledger.ContractID, len(ids))
	for i, id := range ids {
		plain[i] = id.ID()
	}
	return plain
}
