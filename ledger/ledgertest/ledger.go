// Package ledgertest is a ledger in memory, for tests of contract templates: it interprets submissions as a node does
// and keeps the created contracts. Time stands still until a test moves it.
package ledgertest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Start is the time at which every ledger begins.
var Start = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// Ledger is a ledger in memory. It is not safe for concurrent use.
type Ledger struct {
	Packages *ledger.Packages
	// Network decides which contracts belong to the network.
	Network ledger.Network
	// Now is the ledger effective time of the next submission.
	Now time.Time
	// Transactions are the accepted transactions, in order.
	Transactions []ledger.Transaction
	// Active are the active contracts.
	Active map[ledger.ContractID]ledger.Contract
	// Failure, when set, is the error of every read of the ledger.
	Failure error

	submissions int
}

// New starts an empty ledger with the packages.
func New(packages ...ledger.Package) (*Ledger, error) {
	registry, err := ledger.NewPackages(packages...)
	if err != nil {
		return nil, err
	}
	return &Ledger{Packages: registry, Now: Start, Active: map[ledger.ContractID]ledger.Contract{}}, nil
}

// ActiveContract implements [ledger.Store].
func (l *Ledger) ActiveContract(id ledger.ContractID) (ledger.Contract, bool, error) {
	contract, ok := l.Active[id]
	return contract, ok, l.Failure
}

// ActiveContractByKey implements [ledger.Store].
func (l *Ledger) ActiveContractByKey(keyHash string) (ledger.Contract, bool, error) {
	for _, contract := range l.Active {
		if contract.Key != nil && contract.Key.Hash == keyHash {
			return contract, true, l.Failure
		}
	}
	return ledger.Contract{}, false, l.Failure
}

// Submit prepares the commands as the API does, interprets them and, when they are accepted, applies the transaction. A
// submission without a Key gets a new one, so that no two submissions make the same contract ids.
func (l *Ledger) Submit(submission ledger.Submission) (ledger.Transaction, error) {
	prepared, refusal := l.Packages.PrepareCommands(submission.Commands, nil)
	if refusal != nil {
		return ledger.Transaction{}, refusal
	}
	submission.Commands = prepared
	l.submissions++
	if submission.Key == "" {
		submission.Key = strconv.Itoa(l.submissions)
	}
	transaction, err := ledger.Interpret(submission, ledger.Environment{
		Packages: l.Packages, Network: l.Network, Store: l, EffectiveAt: l.Now,
		Seed: ledger.SubmissionSeed([]byte("test"), submission.Key),
	})
	if err != nil {
		return ledger.Transaction{}, err
	}
	for _, created := range transaction.Created() {
		l.Active[created.Contract.ID] = created.Contract
	}
	for _, consumed := range transaction.Consumed() {
		delete(l.Active, consumed)
	}
	l.Transactions = append(l.Transactions, transaction)
	return transaction, nil
}

// Events are the events of each accepted transaction, in order.
func (l *Ledger) Events() [][]ledger.Event {
	events := make([][]ledger.Event, len(l.Transactions))
	for i := range l.Transactions {
		events[i] = l.Transactions[i].Events()
	}
	return events
}

// Parties are the acting and reading parties of a submission, and its disclosed contracts.
type Parties struct {
	ActAs     []ledger.Party
	ReadAs    []ledger.Party
	Disclosed []ledger.Contract
}

// As is a submission that acts as the parties.
func As(parties ...ledger.Party) Parties { return Parties{ActAs: ledger.SortedParties(parties)} }

// Disclose adds contracts of the ledger to the disclosed ones.
func (p Parties) Disclose(contracts ...ledger.Contract) Parties {
	p.Disclosed = append(p.Disclosed, contracts...)
	return p
}

// SubmitCommands submits commands for the parties.
func (l *Ledger) SubmitCommands(by Parties, commands ...ledger.Command) (ledger.Transaction, error) {
	return l.Submit(ledger.Submission{
		ActAs: by.ActAs, ReadAs: by.ReadAs, Disclosed: by.Disclosed, Commands: commands,
	})
}

// CreateCommand is the command that creates a contract with the payload.
func CreateCommand[T any](l *Ledger, payload T) (ledger.Command, error) {
	template, err := ledger.TemplateName[T](l.Packages)
	if err != nil {
		return ledger.Command{}, err
	}
	argument, err := ledger.Encode(l.Packages, payload)
	return ledger.Command{Create: &ledger.CreateCommand{Template: template, Argument: argument}}, err
}

// Create submits the creation of a contract.
func Create[T any](l *Ledger, by Parties, payload T) (lf.CID[T], error) {
	command, err := CreateCommand(l, payload)
	if err != nil {
		return "", err
	}
	transaction, err := l.SubmitCommands(by, command)
	if err != nil {
		return "", err
	}
	return lf.CID[T](transaction.Nodes[0].ContractID), nil
}

// ExerciseCommand is the command that exercises the choice whose argument type is A.
func ExerciseCommand[T, A any](l *Ledger, id lf.CID[T], argument A) (ledger.Command, error) {
	template, err := ledger.TemplateName[T](l.Packages)
	if err != nil {
		return ledger.Command{}, err
	}
	return exerciseCommand(l, template.String(), id.ID(), argument)
}

// ExerciseThrough is the command that exercises a choice through an interface, by its name in requests.
func ExerciseThrough[A any](l *Ledger, iface string, id ledger.ContractID, argument A) (ledger.Command, error) {
	return exerciseCommand(l, iface, id, argument)
}

func exerciseCommand[A any](l *Ledger, template string, id ledger.ContractID, argument A) (ledger.Command, error) {
	name, err := lf.ParseTypeName(template)
	if err != nil {
		return ledger.Command{}, err
	}
	encoded, err := ledger.Encode(l.Packages, argument)
	if err != nil {
		return ledger.Command{}, err
	}
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choiceName[A](), Argument: encoded,
	}}, nil
}

// choiceName is the choice whose argument is A: the last part of the name in A's tag.
func choiceName[A any]() string {
	blank, _ := reflect.TypeFor[A]().FieldByName("_")
	name, err := lf.ParseTypeName(blank.Tag.Get("lf"))
	if err != nil {
		return ""
	}
	return name.Entity
}

// Exercise submits the exercise of a choice and returns its result.
func Exercise[R, T, A any](l *Ledger, by Parties, id lf.CID[T], argument A) (R, error) {
	var none R
	command, err := ExerciseCommand(l, id, argument)
	if err != nil {
		return none, err
	}
	transaction, err := l.SubmitCommands(by, command)
	if err != nil {
		return none, err
	}
	return Result[R](transaction)
}

// Result is the result of a transaction's first root, an exercise.
func Result[R any](transaction ledger.Transaction) (R, error) {
	var result R
	root := transaction.Nodes[transaction.Roots[0]]
	if root.Result == nil {
		return result, fmt.Errorf("the first root is a %s, which has no result", root.Kind)
	}
	return result, lf.ToGo(root.ResultType, root.Result, reflect.ValueOf(&result).Elem())
}

// Contract finds an active contract and its payload.
func Contract[T any](l *Ledger, id lf.CID[T]) (ledger.Contract, T, error) {
	contract, ok := l.Active[id.ID()]
	if !ok {
		var none T
		return contract, none, fmt.Errorf("contract %s is not active", id)
	}
	payload, err := ledger.DecodePayload[T](l.Packages, contract)
	return contract, payload, err
}

// All lists the active contracts of a template with their payloads, in no particular order.
func All[T any](l *Ledger) (map[lf.CID[T]]T, error) {
	template, err := ledger.TemplateName[T](l.Packages)
	if err != nil {
		return nil, err
	}
	found := map[lf.CID[T]]T{}
	for id, contract := range l.Active {
		if contract.Template != template {
			continue
		}
		if found[lf.CID[T](id)], err = ledger.DecodePayload[T](l.Packages, contract); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// View is the view of a contract in JSON through an interface, by its name in requests.
func (l *Ledger) View(ctx context.Context, id ledger.ContractID, iface string) (json.RawMessage, error) {
	name, err := lf.ParseTypeName(iface)
	if err != nil {
		return nil, err
	}
	resolved, refusal := l.Packages.ResolveTemplate(name, nil)
	if refusal != nil {
		return nil, refusal
	}
	view, ok, err := l.Packages.View(ctx, l.Active[id], resolved)
	if err == nil && !ok {
		return nil, fmt.Errorf("contract %s does not implement %s", id, iface)
	}
	return view, err
}
