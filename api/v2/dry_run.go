package v2

import (
	"encoding/json"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// RefusalTrace says how commands failed.
type RefusalTrace struct {
	Calls []CodePlace       `json:"calls" required:"true" doc:"The active functions, the innermost first"`
	Nodes []TransactionNode `json:"nodes" required:"true" doc:"The nodes of the transaction until the failure"`
}

// CodePlace is a place in code of a package.
type CodePlace struct {
	Definition   string `json:"definition" doc:"The function"`
	PackageID    string `json:"packageId" doc:"Its package; empty if the place is unknown"`
	PackageName  string `json:"packageName" doc:"Name of the package"`
	Module       string `json:"module" doc:"Its module; empty if the place is unknown"`
	Line         int32  `json:"line" doc:"Line, from 1; 0 if the place is unknown"`
	Column       int32  `json:"column" doc:"Column, from 1; 0 if the place is unknown"`
	IsDefinition bool   `json:"isDefinition" doc:"Whether the place is the beginning of the definition"`
}

// TransactionNode is a node of a transaction that was not committed.
type TransactionNode struct {
	NodeID          int32            `json:"nodeId" required:"true" doc:"Position in the transaction"`
	ParentNodeID    *int32           `json:"parentNodeId" doc:"The exercise above it; null for the node of a command"`
	Kind            ledger.EventKind `json:"kind" required:"true" doc:"create, exercise or fetch"`
	ContractID      string           `json:"contractId" required:"true" doc:"The contract; made up if the transaction creates it"`
	TemplateID      lf.TypeName      `json:"templateId" required:"true" doc:"Its template, by package id"`
	PackageName     string           `json:"packageName" required:"true" doc:"Name of the template's package"`
	InterfaceID     *lf.TypeName     `json:"interfaceId" doc:"Interface of an exercise or a fetch"`
	Choice          string           `json:"choice" doc:"Name of an exercised choice"`
	Consuming       bool             `json:"consuming" doc:"Whether an exercise archives the contract"`
	Argument        json.RawMessage  `json:"argument" doc:"Payload of a create, argument of an exercise"`
	Result          json.RawMessage  `json:"result" doc:"Result of an exercise; null before its end"`
	Signatories     []string         `json:"signatories" required:"true" doc:"The signatories of the contract"`
	Observers       []string         `json:"observers" required:"true" doc:"The observers of the contract"`
	ActingParties   []string         `json:"actingParties" required:"true" doc:"The exercising or fetching parties"`
	ChoiceObservers []string         `json:"choiceObservers" required:"true" doc:"The observers of the choice"`
	Informees       []string         `json:"informees" required:"true" doc:"The parties whose view the node is"`
	Witnesses       []string         `json:"witnesses" required:"true" doc:"The parties that see it: informees of it and of nodes above it"`
}

// ToAPINodes converts the nodes of a transaction, which may be partial.
func ToAPINodes(transaction ledger.Transaction) []TransactionNode {
	witnesses := transaction.Witnesses()
	out := make([]TransactionNode, len(transaction.Nodes))
	for i, node := range transaction.Nodes {
		shown := &out[i]
		shown.NodeID, shown.Kind, shown.ContractID = node.ID, node.Kind, string(node.ContractID)
		shown.TemplateID, shown.PackageName, shown.InterfaceID = node.Template, node.PackageName, node.Interface
		shown.Choice, shown.Consuming = node.Choice, node.Consuming
		shown.Signatories, shown.Observers = ToAPIParties(node.Signatories), ToAPIParties(node.Observers)
		shown.ActingParties, shown.ChoiceObservers = ToAPIParties(node.ActingParties), ToAPIParties(node.ChoiceObservers)
		shown.Informees, shown.Witnesses = ToAPIParties(node.Informees()), ToAPIParties(witnesses[i])
		if node.Argument != nil {
			shown.Argument = lf.EncodeJSON(node.ArgumentType, node.Argument)
		}
		if node.Result != nil {
			shown.Result = lf.EncodeJSON(node.ResultType, node.Result)
		}
	}
	for i, node := range transaction.Nodes {
		for _, child := range node.Children {
			out[child].ParentNodeID = new(int32(i))
		}
	}
	return out
}

// TracedError is the error of a dry run, with a trace.
type TracedError struct {
	Err   error
	Trace *RefusalTrace
}

// Error returns the text without the trace.
func (e *TracedError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the trace.
func (e *TracedError) Unwrap() error { return e.Err }

// ToAPIPlaces converts places in code.
func ToAPIPlaces(places []ledger.CodePlace, packages *ledger.Packages) []CodePlace {
	out := make([]CodePlace, len(places))
	for i, place := range places {
		out[i] = CodePlace{
			Definition: place.Definition, PackageID: string(place.Package),
			PackageName: packages.PackageName(place.Package), Module: place.Module, Line: int32(place.Line), Column: int32(place.Column), IsDefinition: place.IsDefinition,
		}
	}
	return out
}
