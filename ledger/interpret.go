package ledger

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Store gives interpretation the active contracts.
type Store interface {
	// ActiveContract finds an active contract. The error is a failure of the store, not a refusal.
	ActiveContract(id ContractID) (Contract, bool, error)
	// ActiveContractByKey finds the active contract that has the key with the hash.
	ActiveContractByKey(keyHash string) (Contract, bool, error)
}

// Environment is the inputs of interpretation beside the commands.
type Environment struct {
	Packages *Packages
	Store    Store
	// EffectiveAt is the ledger effective time of the transaction.
	EffectiveAt time.Time
	// Seed is the randomness that contract ids and node seeds derive from: the same seed, commands, time and contracts
	// give the same transaction.
	Seed [32]byte
	// Prepared is set to run a prepared transaction again with the same seeds and contract ids.
	Prepared *PreparedRun
	// Network decides which created contracts belong to the network; with the zero value none does.
	Network Network
	// Payloads caches decoded contracts; nil for no cache.
	Payloads *Payloads
	// Budget limits the cost and time of code of uploaded packages; nil for a default budget without a deadline.
	Budget *Budget
}

// PreparedRun is the inputs that a transaction takes from the run that prepared it for signing.
type PreparedRun struct {
	// RootSeeds are the seeds of the root nodes; those of all others derive from them.
	RootSeeds [][32]byte
	// At is the effective time of that run, from which the ids of created contracts derive.
	At time.Time
}

// preparedAt is the time that ids of created contracts derive from.
func (e Environment) preparedAt() time.Time {
	if e.Prepared != nil {
		return e.Prepared.At
	}
	return e.EffectiveAt
}

// MaxTransactionNodes limits the nodes of a transaction, from templates in Go and from uploaded code.
const MaxTransactionNodes = 10_000

// Further limits of one transaction.
const (
	maxCallDepth = 100
	maxNesting   = 100 // of a value that goes on the ledger; upstream's limit
)

// Interpret runs the commands of a submission against the store and returns the transaction. The error is a
// *fault.Fault for a refusal, and any other error if the store failed or the context of the budget ended. With a refusal
// by a command the transaction has the nodes until then.
//
// No transaction is earlier than the contracts that it uses (upstream's causal monotonicity): the ledger effective time
// is moved up to theirs, and the commands run again at that time. Signed transactions may create contracts up to a
// minute ahead of the record time.
func Interpret(submission Submission, env Environment) (Transaction, error) {
	if env.Budget == nil {
		env.Budget = ownBudget()
	}
	tx := newTx(submission, env) // the budget is one for all runs
	for range maxMoves {
		transaction, err := tx.interpret(submission.Commands)
		if err != nil {
			return transaction, err
		}
		newest := tx.newestInput()
		if !newest.After(env.EffectiveAt) {
			if refusal := submission.checkComposed(env.Packages, &transaction); refusal != nil {
				return Transaction{}, refusal
			}
			return transaction, nil
		}
		env.EffectiveAt = newest
		tx = newTx(submission, env)
	}
	return Transaction{}, fault.LocalVerdictLedgerTimeOutOfBound.New(
		"The ledger moved the time of the transaction up %d times, and it still uses a newer contract, created at %s",
		maxMoves, instant(env.EffectiveAt)).
		WithHint("Submit the commands again in a minute.")
}

// maxMoves bounds the moves of a transaction's ledger time, because its inputs may depend on the time.
const maxMoves = 4

func (tx *Tx) interpret(commands []Command) (transaction Transaction, err error) {
	defer func() {
		// A template that panics has a bug: it must fail its submission, not the batch or the node.
		if crash := recover(); crash != nil {
			err = contractDefect(fmt.Errorf("panic in interpretation: %v\n%s", crash, debug.Stack()))
		}
	}()
	for i, command := range commands {
		err := tx.run(command)
		if ended := tx.budget.Ended(); ended != nil {
			return Transaction{}, ended
		}
		if err != nil {
			partial := Transaction{Nodes: tx.nodes, Roots: tx.roots, EffectiveAt: tx.env.EffectiveAt}
			return partial, inCommand(i, len(commands), inExerciseCommand(refusalOrStoreFailure(err), command))
		}
	}
	return tx.finish()
}

// newestInput is the creation time of the newest input contract.
func (tx *Tx) newestInput() (newest time.Time) {
	for _, input := range tx.inputs {
		if input.contract.CreatedAt.After(newest) {
			newest = input.contract.CreatedAt
		}
	}
	return newest
}

// storeError marks an error of the store, to distinguish it from a contract's.
type storeError struct{ err error }

func (s storeError) Error() string { return s.err.Error() }
func (s storeError) Unwrap() error { return s.err }

// refusalOrStoreFailure turns an error that is neither a refusal nor the store's into a refusal: the template has a
// bug.
func refusalOrStoreFailure(err error) error {
	if store, ok := errors.AsType[storeError](err); ok {
		return store.err
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return contractDefect(err)
}

func contractDefect(err error) error {
	return fault.DamlInterpretationError.New("Interpretation error: a contract failed unexpectedly").
		WithHint("The contract's code has a bug. The node's log has the details.").Wrap(err)
}

func inCommand(i, of int, err error) error {
	if refusal, ok := fault.As(err); ok && of > 1 {
		return refusal.With("command_index", strconv.Itoa(i))
	}
	return err
}

func (tx *Tx) run(command Command) error {
	switch {
	case command.Create != nil:
		_, _, err := tx.createFromJSON(command.Create.Template, command.Create.Argument)
		return err
	case command.Exercise != nil:
		exercise := command.Exercise
		return tx.exerciseFromJSON(exercise.Template, exercise.Contract, exercise.Choice, exercise.Argument)
	case command.CreateAndExercise != nil:
		both := command.CreateAndExercise
		id, t, err := tx.createFromJSON(both.Template, both.CreateArgument)
		if err != nil {
			return err
		}
		return tx.exerciseFromJSON(t.name, id, both.Choice, both.ChoiceArgument)
	case command.ExerciseByKey != nil:
		return tx.exerciseByKey(*command.ExerciseByKey)
	default:
		return fault.InvalidArgumentf("a command has no content")
	}
}

func (tx *Tx) createFromJSON(name lf.TypeName, raw []byte) (ContractID, *template, error) {
	t, ok := tx.env.Packages.templates[name]
	if !ok {
		return "", nil, fault.IdentifiersNotFound([]string{name.String()}, nil)
	}
	payload, err := decodeArgument(t.payload, raw)
	if err != nil {
		return "", nil, err
	}
	id, err := tx.create(t, payload)
	return id, t, err
}

func (tx *Tx) exerciseFromJSON(name lf.TypeName, id ContractID, choiceName string, raw []byte) error {
	declared, refusal := tx.env.Packages.findChoice(name, choiceName)
	if refusal != nil {
		return refusal
	}
	argument, err := decodeArgument(declared.argument, raw)
	if err != nil {
		return err
	}
	var through *lf.TypeName
	if tx.env.Packages.IsInterface(name) {
		through = &name
	}
	_, err = tx.exercise(id, &name, through, choiceName, argument)
	return err
}

func (tx *Tx) exerciseByKey(command ExerciseByKeyCommand) error {
	t, ok := tx.env.Packages.templates[command.Template]
	if !ok {
		return fault.IdentifiersNotFound([]string{command.Template.String()}, nil)
	}
	key, err := tx.keyFromJSON(t, command.Key)
	if err != nil {
		return err
	}
	id, err := tx.findKey(t, key)
	if err != nil {
		return err
	}
	root := len(tx.nodes)
	if err := tx.exerciseFromJSON(t.name, id, command.Choice, command.Argument); err != nil {
		return err
	}
	tx.nodes[root].ByKey = true
	return nil
}

// decodeArgument reads a payload or argument into its Go form; the refusals are those of the API for values that do not
// fit their type.
func decodeArgument(c codec, raw []byte) (any, error) {
	value, refusal := decodeValue("", c.lfType, raw)
	if refusal != nil {
		return nil, refusal
	}
	return c.toGo(value)
}
