package instruments

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/tokens"
)

// Trust are the packages whose code may act in the name of a wallet's party.
type Trust []string

// check refuses contracts of other packages, and of built-in ones.
func (t Trust) check(packages *ledger.Packages, contract ledger.Contract) error {
	if !packages.IsUploaded(contract.Template.Package) {
		return v0.BadRequest("Contract %s is of the built-in package %s, not of a token's own package.", contract.ID,
			contract.PackageName)
	}
	if slices.Contains(t, contract.PackageName) {
		return nil
	}
	return v0.BadRequest("Contract %s is of package %q, whose code would act in your name. If you trust the package, "+
		`add it to "trusted_packages".`, contract.ID, contract.PackageName)
}

// target is a contract with the inputs of one of its choices.
type target struct {
	contract  ledger.Contract
	context   json.RawMessage
	disclosed []ledger.Contract
}

// emptyContext is the context of tokens without a registry.
const emptyContext = `{"values":{}}`

// factoryKind is a kind of factory: its interface, and the path of its registry.
type factoryKind struct{ interfaceName, path, words string }

func transferFactory() factoryKind {
	return factoryKind{
		tokens.TransferFactoryInterface, "/registry/transfer-instruction/v1/transfer-factory", "transfer factory",
	}
}

func allocationFactory() factoryKind {
	return factoryKind{
		tokens.AllocationFactoryInterface, "/registry/allocation-instruction/v1/allocation-factory", "allocation factory",
	}
}

// factory finds the factory of an administrator's tokens: from the administrator's registry, or without one among the
// contracts that the caller may read.
func (a *API) factory(
	ctx context.Context, w validator.Owner, kind factoryKind, admin ledger.Party, trust Trust, argument json.RawMessage,
) (found target, name lf.TypeName, err error) {
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return found, name, err
	}
	name, implementers, err := validator.Implementers(packages, kind.interfaceName)
	if err != nil {
		return found, name, err
	}
	if a.registries.has(admin) {
		if found, err = a.askForFactory(ctx, packages, w, kind, admin, argument); err != nil {
			return found, name, err
		}
		if !slices.Contains(implementers, found.contract.Template) {
			return found, name, badRegistry(admin, "its factory "+string(found.contract.ID)+" is no "+kind.words)
		}
		return found, name, trust.check(packages, found.contract)
	}
	contract, err := a.searchFactory(ctx, packages, w, kind, admin, trust)
	return target{
		contract: contract, context: json.RawMessage(emptyContext), disclosed: []ledger.Contract{contract},
	}, name, err
}

// askForFactory asks the registry. It may disclose the factory, or name a contract of the caller.
func (a *API) askForFactory(
	ctx context.Context, packages *ledger.Packages, w validator.Owner, kind factoryKind, admin ledger.Party,
	argument json.RawMessage,
) (found target, err error) {
	var answer struct {
		FactoryID ledger.ContractID `json:"factoryId"`
		Context   choiceContext     `json:"choiceContext"`
	}
	err = a.registries.ask(ctx, admin, kind.path, map[string]any{
		"choiceArguments": argument, "excludeDebugFields": true,
	}, &answer)
	if err != nil {
		return found, err
	}
	if found, err = a.contextOf(packages, admin, answer.Context); err != nil {
		return found, err
	}
	for _, disclosed := range found.disclosed {
		if disclosed.ID == answer.FactoryID {
			found.contract = disclosed
			return found, nil
		}
	}
	stored, ok, err := a.record.Contract(ctx, answer.FactoryID)
	if err == nil && (!ok || stored.Archived != nil || !stored.IsStakeholder(w.Party)) {
		err = badRegistry(admin, "it does not disclose its factory")
	}
	found.contract = stored.Contract
	return found, err
}

// searchFactory searches the factory among the contracts that the caller's user may read. The administrator must have
// signed it: anybody can make a factory that claims to be the administrator's.
func (a *API) searchFactory(
	ctx context.Context, packages *ledger.Packages, w validator.Owner, kind factoryKind, admin ledger.Party, trust Trust,
) (none ledger.Contract, err error) {
	parties, err := a.Readable(ctx, w, admin)
	if err != nil {
		return none, err
	}
	for _, party := range parties {
		found, err := a.Implementing(ctx, packages, party, kind.interfaceName)
		if err != nil {
			return none, err
		}
		for _, one := range slices.Backward(found) { // the newest counts
			var view struct{ Admin ledger.Party }
			if one.Err == nil && tokens.ReadView(one.View, &view) == nil && view.Admin == admin &&
				hasSigned(one.Contract, admin) && slices.Contains(trust, one.Contract.PackageName) {
				return one.Contract, nil
			}
		}
	}
	return none, v0.NotFound("No %s of %s found: no registry of this administrator is configured (--token-registries), "+
		"and no contract of the trusted packages (%s) that you may read is one. Ask the operator to add the registry, or "+
		"to let your user read as the administrator.", kind.words, admin, strings.Join(trust, ", "))
}

// choiceTarget is a contract of the caller with the context of one of its choices, from the registry of the
// administrator that the contract claims.
func (a *API) choiceTarget(
	ctx context.Context, contract ledger.Contract, admin ledger.Party, path string,
) (target, error) {
	found := target{contract: contract, context: json.RawMessage(emptyContext)}
	if !a.registries.has(admin) {
		return found, nil
	}
	packages, err := a.Catalog.For(ctx)
	if err != nil {
		return found, err
	}
	var answer choiceContext
	if err := a.registries.ask(ctx, admin, path, map[string]any{"excludeDebugFields": true}, &answer); err != nil {
		return found, err
	}
	found, err = a.contextOf(packages, admin, answer)
	found.contract = contract
	return found, err
}

// choiceContext is the context of a choice, as registries send it.
type choiceContext struct {
	Data      json.RawMessage `json:"choiceContextData"`
	Disclosed []struct {
		TemplateID     string `json:"templateId"`
		ContractID     string `json:"contractId"`
		Blob           []byte `json:"createdEventBlob"`
		SynchronizerID string `json:"synchronizerId"`
	} `json:"disclosedContracts"`
}

// contextOf checks the contracts of a registry's answer. Their ids prove their content; the ledger checks the types of
// the context when it runs the choice.
func (a *API) contextOf(packages *ledger.Packages, admin ledger.Party, answer choiceContext) (found target, err error) {
	disclosed := make([]ledger.DisclosedContract, len(answer.Disclosed))
	for i, one := range answer.Disclosed {
		disclosed[i] = ledger.DisclosedContract{
			ContractID: one.ContractID, Blob: one.Blob, SynchronizerID: one.SynchronizerID,
		}
	}
	found.disclosed, err = packages.ReadDisclosed(a.Node, disclosed)
	if refusal, ok := fault.As(err); ok {
		return found, badRegistry(admin, refusal.Cause)
	}
	if found.context = answer.Data; len(found.context) == 0 {
		found.context = json.RawMessage(emptyContext)
	}
	return found, err
}

// exercise returns the command that exercises a choice of an interface with a registry's context.
func (a *API) exercise(
	packages *ledger.Packages, name lf.TypeName, on target, choice string, argument json.RawMessage,
) (ledger.Command, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(argument, &fields); err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	extra, err := json.Marshal(map[string]json.RawMessage{
		"context": on.context, "meta": json.RawMessage(emptyContext),
	})
	if err != nil {
		return ledger.Command{}, fault.Internal(errors.New("the context of " + choice + " is no JSON"))
	}
	fields["extraArgs"] = extra
	if argument, err = json.Marshal(fields); err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	commands, refusal := packages.PrepareCommands([]ledger.Command{{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: on.contract.ID, Choice: choice, Argument: argument,
	}}}, nil)
	if refusal != nil {
		return ledger.Command{}, refusal
	}
	return commands[0], nil
}
