package registryapi

import (
	"context"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/ledger"
)

type instructionRequest struct {
	ID   string                  `path:"transferInstructionId" doc:"The transfer instruction"`
	Body GetChoiceContextRequest `body:"json"`
}

type allocationRequest struct {
	ID   string                  `path:"allocationId" doc:"The allocation"`
	Body GetChoiceContextRequest `body:"json"`
}

func (a *API) acceptContext(ctx context.Context, req instructionRequest) (ChoiceContext, error) {
	locked, amulet, err := a.findInstruction(ctx, req.ID)
	if err != nil {
		return ChoiceContext{}, err
	}
	return a.composeContext(ctx, req.Body, func(network registry.Network) (registry.Context, error) {
		return network.Accept(locked, amulet)
	})
}

func (a *API) releaseContext(ctx context.Context, req instructionRequest) (ChoiceContext, error) {
	_, amulet, err := a.findInstruction(ctx, req.ID)
	if err != nil {
		return ChoiceContext{}, err
	}
	return a.composeRelease(ctx, req.Body, amulet)
}

func (a *API) executeContext(ctx context.Context, req allocationRequest) (ChoiceContext, error) {
	allocation, locked, amulet, err := a.findAllocation(ctx, req.ID)
	if err != nil {
		return ChoiceContext{}, err
	}
	payload, err := ledger.DecodePayload[coin.AmuletAllocation](a.packages, allocation)
	if err != nil {
		return ChoiceContext{}, err
	}
	featured, err := a.findFeaturedRight(ctx, payload.Allocation.Settlement.Executor)
	if err != nil {
		return ChoiceContext{}, err
	}
	return a.composeContext(ctx, req.Body, func(network registry.Network) (registry.Context, error) {
		return network.ExecuteTransfer(locked, amulet, featured)
	})
}

func (a *API) releaseAllocationContext(ctx context.Context, req allocationRequest) (ChoiceContext, error) {
	_, _, amulet, err := a.findAllocation(ctx, req.ID)
	if err != nil {
		return ChoiceContext{}, err
	}
	return a.composeRelease(ctx, req.Body, amulet)
}

// composeRelease returns the context of choices that release locked coin.
func (a *API) composeRelease(
	ctx context.Context, body GetChoiceContextRequest, amulet *ledger.Contract,
) (ChoiceContext, error) {
	return a.composeContext(ctx, body, func(network registry.Network) (registry.Context, error) {
		return network.Release(amulet), nil
	})
}

func (a *API) composeContext(
	ctx context.Context, body GetChoiceContextRequest, compose func(registry.Network) (registry.Context, error),
) (ChoiceContext, error) {
	network, err := a.network(ctx)
	if err != nil {
		return ChoiceContext{}, err
	}
	context, err := compose(network)
	if err != nil {
		return ChoiceContext{}, orNotFound(err)
	}
	return a.toAPIContext(context, body.ExcludeDebugFields)
}

// findInstruction finds the locked coin of a transfer instruction; nil if it is archived.
func (a *API) findInstruction(ctx context.Context, id string) (registry.LockedCoin, *ledger.Contract, error) {
	contract, err := a.findActiveOf(ctx, "Splice.AmuletTransferInstruction:AmuletTransferInstruction", id)
	if err != nil {
		return registry.LockedCoin{}, nil, err
	}
	locked, err := registry.LockedOfInstruction(a.packages, contract)
	if err != nil {
		return registry.LockedCoin{}, nil, err
	}
	amulet, err := a.findActive(ctx, locked.ID)
	return locked, amulet, err
}

// findAllocation finds an allocation and its locked coin; nil if that is archived.
func (a *API) findAllocation(
	ctx context.Context, id string,
) (contract ledger.Contract, locked registry.LockedCoin, amulet *ledger.Contract, err error) {
	if contract, err = a.findActiveOf(ctx, "Splice.AmuletAllocation:AmuletAllocation", id); err != nil {
		return contract, locked, nil, err
	}
	if locked, err = registry.LockedOfAllocation(a.packages, contract); err != nil {
		return contract, locked, nil, err
	}
	amulet, err = a.findActive(ctx, locked.ID)
	return contract, locked, amulet, err
}

// findActiveOf finds an active contract of a template, given by its qualified name.
func (a *API) findActiveOf(ctx context.Context, template, id string) (ledger.Contract, error) {
	found, ok, err := a.record.NetworkContract(ctx, ledger.ContractID(id))
	if err != nil {
		return ledger.Contract{}, err
	}
	if !ok || found.Archived != nil || found.Template.QualifiedName() != template {
		return ledger.Contract{}, v0.NotFound("%s '%s' not found.", entityOf(template), id)
	}
	return found.Contract, nil
}

// findActive finds a contract; nil if it is archived.
func (a *API) findActive(ctx context.Context, id ledger.ContractID) (*ledger.Contract, error) {
	found, ok, err := a.record.NetworkContract(ctx, id)
	if err != nil || !ok || found.Archived != nil {
		return nil, err
	}
	return &found.Contract, nil
}
