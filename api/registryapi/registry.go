package registryapi

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// GetFactoryRequest asks for a factory, with the argument of its choice.
type GetFactoryRequest struct {
	endpoint.Strict

	ChoiceArguments    json.RawMessage `json:"choiceArguments" required:"true" doc:"Argument of the factory's choice"`
	ExcludeDebugFields bool            `json:"excludeDebugFields" doc:"Whether to leave the debug fields null"`
}

// GetChoiceContextRequest asks for the context of a choice.
type GetChoiceContextRequest struct {
	Meta               map[string]string `json:"meta" doc:"Has no effect"`
	ExcludeDebugFields bool              `json:"excludeDebugFields" doc:"Whether to leave the debug fields null"`
}

// TransferFactoryWithChoiceContext has the factory contract and the context to start a transfer.
type TransferFactoryWithChoiceContext struct {
	FactoryID     ledger.ContractID `json:"factoryId" required:"true" doc:"Contract to exercise the choice on"`
	TransferKind  TransferKind      `json:"transferKind" required:"true" doc:"Kind of transfer"`
	ChoiceContext ChoiceContext     `json:"choiceContext" required:"true" doc:"What to pass with the choice"`
}

// TransferKind is the kind of a transfer.
type TransferKind string

// Names implements [endpoint.Enum].
func (TransferKind) Names() []string { return []string{"self", "direct", "offer"} }

// FactoryWithChoiceContext has the factory contract and the context to start an allocation.
type FactoryWithChoiceContext struct {
	FactoryID     ledger.ContractID `json:"factoryId" required:"true" doc:"Contract to exercise the choice on"`
	ChoiceContext ChoiceContext     `json:"choiceContext" required:"true" doc:"What to pass with the choice"`
}

// ChoiceContext has what a client passes with a choice.
type ChoiceContext struct {
	Data      ChoiceContextData   `json:"choiceContextData" required:"true" doc:"For extraArgs.context of the argument"`
	Disclosed []DisclosedContract `json:"disclosedContracts" required:"true" doc:"For the submission"`
}

// ChoiceContextData are tagged values by key.
type ChoiceContextData struct {
	Values map[string]ChoiceContextValue `json:"values" required:"true" doc:"By key"`
}

// ChoiceContextValue is a contract id or a flag.
type ChoiceContextValue struct {
	Tag   string          `json:"tag" required:"true" doc:"AV_ContractId or AV_Bool"`
	Value json.RawMessage `json:"value" required:"true" doc:"The contract id, or the flag"`
}

// DisclosedContract is a contract in the form that submissions take.
type DisclosedContract struct {
	TemplateID       string              `json:"templateId" required:"true" doc:"Its template, by package id"`
	ContractID       ledger.ContractID   `json:"contractId" required:"true" doc:"Its id"`
	CreatedEventBlob endpoint.Bytes      `json:"createdEventBlob" required:"true" doc:"The contract in the form that submissions take"`
	SynchronizerID   string              `json:"synchronizerId" required:"true" doc:"Synchronizer of the contract"`
	DebugPackageName *string             `json:"debugPackageName" doc:"Package of its template"`
	DebugPayload     json.RawMessage     `json:"debugPayload" doc:"Its payload"`
	DebugCreatedAt   *endpoint.Timestamp `json:"debugCreatedAt" doc:"When it was created"`
}

type getFactoryRequest struct {
	Body GetFactoryRequest `body:"json"`
}

func (a *API) transferFactory(
	ctx context.Context, req getFactoryRequest,
) (response TransferFactoryWithChoiceContext, err error) {
	known, err := checkArgument(a.transferArgument, req.Body.ChoiceArguments, transferChoice)
	if err != nil {
		return response, err
	}
	var argument struct {
		Transfer struct {
			Sender   ledger.Party `json:"sender"`
			Receiver ledger.Party `json:"receiver"`
		} `json:"transfer"`
	}
	if json.Unmarshal(known, &argument) != nil { // only on a node without the choice
		return response, invalidArgument(transferChoice, "transfer.sender and transfer.receiver must be parties")
	}
	network, err := a.network(ctx)
	if err != nil {
		return response, err
	}
	preapproval, featured, err := a.preapprovalFor(ctx, argument.Transfer.Receiver)
	if err != nil {
		return response, err
	}
	factory := network.TransferFactory(argument.Transfer.Sender, argument.Transfer.Receiver, preapproval, featured)
	response.FactoryID, response.TransferKind = factory.FactoryID, TransferKind(factory.Kind)
	response.ChoiceContext, err = a.toAPIContext(factory.Context, req.Body.ExcludeDebugFields)
	return response, err
}

func (a *API) allocationFactory(
	ctx context.Context, req getFactoryRequest,
) (response FactoryWithChoiceContext, err error) {
	if _, err := checkArgument(a.allocateArgument, req.Body.ChoiceArguments, allocateChoice); err != nil {
		return response, err
	}
	network, err := a.network(ctx)
	if err != nil {
		return response, err
	}
	response.FactoryID = network.Factory.ID
	response.ChoiceContext, err = a.toAPIContext(network.AllocationFactory(), req.Body.ExcludeDebugFields)
	return response, err
}

// network finds the contracts that choice contexts name.
func (a *API) network(ctx context.Context) (registry.Network, error) {
	var active []ledger.Contract
	collect := func(contract ledger.Contract) (bool, error) {
		active = append(active, contract)
		return len(active) < maxContracts, nil
	}
	templates := a.templateIDs(amuletRules, externalPartyRules, openRounds, configStates)
	if err := a.eachActive(ctx, templates, a.node.DSO, latest, collect); err != nil {
		return registry.Network{}, err
	}
	network, err := registry.NetworkOf(a.packages, active, a.now())
	return network, orNotFound(err)
}

// preapprovalFor finds the preapproval that a transfer to the receiver uses, and its provider's featured app right.
// Both may be nil.
func (a *API) preapprovalFor(
	ctx context.Context, receiver ledger.Party,
) (preapproval, featured *ledger.Contract, err error) {
	longest, ok, err := a.findPreapproval(ctx, receiver)
	if err != nil || !ok {
		return nil, nil, err
	}
	preapproval, payload, err := registry.ValidPreapproval(a.packages, []ledger.Contract{longest}, a.now())
	if err != nil || preapproval == nil {
		return nil, nil, err
	}
	featured, err = a.findFeaturedRight(ctx, payload.Provider)
	return preapproval, featured, err
}

// findFeaturedRight finds the right of a featured app; nil if there is none.
func (a *API) findFeaturedRight(ctx context.Context, provider ledger.Party) (*ledger.Contract, error) {
	right, ok, err := a.newestFeaturedRight(ctx, provider)
	if err != nil || !ok {
		return nil, err
	}
	return &right, nil
}

// orNotFound makes a 404 of the registry's NotFoundError.
func orNotFound(err error) error {
	if missing, ok := errors.AsType[*registry.NotFoundError](err); ok {
		return v0.NotFound("%s", missing.Text)
	}
	return err
}

// toAPIContext returns a context with the contracts to disclose.
func (a *API) toAPIContext(context registry.Context, withoutDebug bool) (ChoiceContext, error) {
	shown := ChoiceContext{Data: ChoiceContextData{Values: map[string]ChoiceContextValue{}}}
	for key, value := range context.Values {
		content, err := json.Marshal(value.Value)
		if err != nil {
			return shown, fault.Internal(err)
		}
		shown.Data.Values[key] = ChoiceContextValue{Tag: value.Tag, Value: content}
	}
	for _, contract := range context.Disclosed {
		disclosed, err := a.toAPIDisclosed(contract)
		if err != nil {
			return shown, err
		}
		if withoutDebug {
			disclosed.DebugPackageName, disclosed.DebugPayload, disclosed.DebugCreatedAt = nil, nil, nil
		}
		shown.Disclosed = append(shown.Disclosed, disclosed)
	}
	return shown, nil
}

func (a *API) toAPIDisclosed(contract ledger.Contract) (DisclosedContract, error) {
	blob, err := ledger.EncodeBlob(contract)
	if err != nil {
		return DisclosedContract{}, fault.Internal(err)
	}
	payload, err := v0.ToAPIPayload(a.packages, contract)
	if err != nil {
		return DisclosedContract{}, err
	}
	createdAt := endpoint.Timestamp(contract.CreatedAt)
	return DisclosedContract{
		TemplateID: contract.Template.String(), ContractID: contract.ID, CreatedEventBlob: blob,
		SynchronizerID: a.node.SynchronizerID, DebugPackageName: &contract.PackageName,
		DebugPayload: payload, DebugCreatedAt: &createdAt,
	}, nil
}
