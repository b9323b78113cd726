package prepared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/protovalue"
)

// Execution is the inputs to run a prepared transaction again: the command of its root nodes, the randomness and time
// for its contract ids, and the contracts that it uses.
type Execution struct {
	Command ledger.Command
	Run     ledger.PreparedRun
	// Inputs are the contracts that the transaction uses and discloses. Their content matches their ids.
	Inputs   []ledger.Contract
	Metadata Metadata
	// Preference are the package versions that the transaction uses for interface choices and fetches.
	Preference []lf.PackageID
}

// Execution returns the inputs to run the transaction again. It refuses, in the order of the API's checks: several
// roots that are not one command, input contracts that contradict their blobs, other input contracts than the nodes
// use, and roots that no command makes.
func (t *Transaction) Execution(packages *ledger.Packages) (Execution, *fault.Fault) {
	roots := t.message.GetTransaction().GetRoots()
	create, exercise, both := t.createAndExercise()
	if len(roots) != 1 && !both {
		return Execution{}, failed("Transaction with multiple root nodes are not supported")
	}
	inputs, refusal := t.inputContracts()
	if refusal != nil {
		return Execution{}, refusal
	}
	if refusal := t.checkInputsAreUsed(); refusal != nil {
		return Execution{}, refusal
	}
	command, err := rootCommand(packages, t.nodes[roots[0]])
	if both {
		command, err = createAndExerciseCommand(packages, create, exercise)
	}
	if err != nil {
		return Execution{}, failed("the root node does not come from a command: %s", err)
	}
	metadata := t.Metadata()
	run := ledger.PreparedRun{At: metadata.PreparationTime}
	for _, root := range roots {
		run.RootSeeds = append(run.RootSeeds, [32]byte(t.seeds[root]))
	}
	return Execution{
		Command: command, Inputs: inputs, Metadata: metadata, Run: run, Preference: t.usedThroughInterfaces(),
	}, nil
}

// usedThroughInterfaces are the package versions for contracts that the transaction uses through interfaces, in order
// of first use. The ledger may have newer versions by now.
func (t *Transaction) usedThroughInterfaces() []lf.PackageID {
	var out []lf.PackageID
	use := func(template, through *ledgerpb.Identifier) {
		id := lf.PackageID(template.GetPackageId())
		if through != nil && !slices.Contains(out, id) && len(out) < maxPreference {
			out = append(out, id)
		}
	}
	for _, id := range t.order {
		switch node := t.nodes[id].GetNodeType().(type) {
		case *ledgerpb.Node_Exercise:
			use(node.Exercise.GetTemplateId(), node.Exercise.GetInterfaceId())
		case *ledgerpb.Node_Fetch:
			use(node.Fetch.GetTemplateId(), node.Fetch.GetInterfaceId())
		}
	}
	return out
}

// maxPreference limits the packages that a signed transaction prefers.
const maxPreference = 100

func (t *Transaction) createAndExercise() (create *ledgerpb.Create, exercise *ledgerpb.Exercise, ok bool) {
	roots := t.message.GetTransaction().GetRoots()
	if len(roots) != 2 {
		return nil, nil, false
	}
	create, exercise = t.nodes[roots[0]].GetCreate(), t.nodes[roots[1]].GetExercise()
	ok = create != nil && exercise != nil && create.GetContractId() == exercise.GetContractId() &&
		exercise.GetInterfaceId() == nil && !exercise.GetByKey()
	return create, exercise, ok
}

func createAndExerciseCommand(
	packages *ledger.Packages, create *ledgerpb.Create, exercise *ledgerpb.Exercise,
) (ledger.Command, error) {
	creation, err := createCommand(packages, create)
	if err != nil {
		return ledger.Command{}, err
	}
	exercised, err := exerciseCommand(packages, exercise)
	if err != nil {
		return ledger.Command{}, err
	}
	return ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: creation.Create.Template, CreateArgument: creation.Create.Argument,
		Choice: exercised.Exercise.Choice, ChoiceArgument: exercised.Exercise.Argument,
	}}, nil
}

func (t *Transaction) inputContracts() ([]ledger.Contract, *fault.Fault) {
	var out []ledger.Contract
	for _, input := range t.message.GetMetadata().GetInputContracts() {
		id := input.GetV1().GetContractId()
		contract, err := ledger.DecodeBlob(input.GetEventBlob())
		if err != nil {
			return nil, failed("Failed to deserialize input contracts: contract %s: %s", id, err)
		}
		if string(contract.ID) != id {
			return nil, failed("Failed to deserialize input contracts: the event blob of contract %s contains contract %s",
				id, contract.ID)
		}
		if declared := timeOf(input.GetCreatedAt()); !contract.CreatedAt.Equal(declared) {
			return nil, failed("Failed to deserialize input contracts: contract %s was created at %s, "+
				"not at %s as declared", id, lf.TimestampOf(contract.CreatedAt), lf.TimestampOf(declared))
		}
		out = append(out, contract)
	}
	return out, nil
}

// checkInputsAreUsed compares the declared input contracts with those that the nodes use and do not create.
func (t *Transaction) checkInputsAreUsed() *fault.Fault {
	var created, used, declared []ledger.ContractID
	for _, id := range t.order {
		switch node := t.nodes[id].GetNodeType().(type) {
		case *ledgerpb.Node_Create:
			created = append(created, ledger.ContractID(node.Create.GetContractId()))
		case *ledgerpb.Node_Exercise:
			used = append(used, ledger.ContractID(node.Exercise.GetContractId()))
		case *ledgerpb.Node_Fetch:
			used = append(used, ledger.ContractID(node.Fetch.GetContractId()))
		}
	}
	for _, input := range t.message.GetMetadata().GetInputContracts() {
		declared = append(declared, ledger.ContractID(input.GetV1().GetContractId()))
	}
	used = without(used, created)
	const mismatch = "Provided input contracts do not match the input contracts in the transaction. %s input contracts: %s"
	if absent := without(used, declared); len(absent) > 0 {
		return failed(mismatch, "Missing", some(absent))
	}
	if surplus := without(declared, used); len(surplus) > 0 {
		return failed(mismatch, "Superfluous", some(surplus))
	}
	return nil
}

// without is the distinct ids of all that are not in known.
func without(all, known []ledger.ContractID) []ledger.ContractID {
	seen := make(map[ledger.ContractID]bool, len(all)+len(known))
	for _, id := range known {
		seen[id] = true
	}
	var out []ledger.ContractID
	for _, id := range all {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// some lists the first of many contracts, and the number of the others.
func some(ids []ledger.ContractID) string {
	const maxIDs = 10
	var out strings.Builder
	for i, id := range ids[:min(len(ids), maxIDs)] {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(string(id))
	}
	if more := len(ids) - maxIDs; more > 0 {
		fmt.Fprintf(&out, " and %d more", more)
	}
	return out.String()
}

func rootCommand(packages *ledger.Packages, root *ledgerpb.Node) (ledger.Command, error) {
	switch node := root.GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		return createCommand(packages, node.Create)
	case *ledgerpb.Node_Exercise:
		return exerciseCommand(packages, node.Exercise)
	default:
		return ledger.Command{}, fmt.Errorf("it is a %s, but a command creates or exercises", kindOf(root))
	}
}

func createCommand(packages *ledger.Packages, node *ledgerpb.Create) (ledger.Command, error) {
	template := protovalue.TypeName(node.GetTemplateId())
	payload, ok := packages.PayloadType(template)
	if !ok {
		return ledger.Command{}, fmt.Errorf("template %s is unknown", template)
	}
	argument, err := readJSON(payload, node.GetArgument())
	if err != nil {
		return ledger.Command{}, fmt.Errorf("argument: %w", err)
	}
	return ledger.Command{Create: &ledger.CreateCommand{Template: template, Argument: argument}}, nil
}

func exerciseCommand(packages *ledger.Packages, node *ledgerpb.Exercise) (ledger.Command, error) {
	template := protovalue.TypeName(node.GetTemplateId())
	on := template
	if node.GetInterfaceId() != nil {
		on = protovalue.TypeName(node.GetInterfaceId())
	}
	choice, ok := packages.ChoiceType(on, node.GetChoiceId())
	if !ok {
		return ledger.Command{}, fmt.Errorf("choice %s of %s is unknown", node.GetChoiceId(), on)
	}
	argument, err := readJSON(choice, node.GetChosenValue())
	if err != nil {
		return ledger.Command{}, fmt.Errorf("chosen_value: %w", err)
	}
	if !node.GetByKey() {
		return ledger.Command{Exercise: &ledger.ExerciseCommand{
			Template: on, Contract: ledger.ContractID(node.GetContractId()), Choice: node.GetChoiceId(), Argument: argument,
		}}, nil
	}
	keyType, ok := packages.KeyType(template)
	if !ok {
		return ledger.Command{}, fmt.Errorf("template %s has no contract key", template)
	}
	key, err := readJSON(keyType, node.GetKey().GetKey().GetKey())
	if err != nil {
		return ledger.Command{}, fmt.Errorf("key: %w", err)
	}
	return ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
		Template: template, Key: key, Choice: node.GetChoiceId(), Argument: argument,
	}}, nil
}

func readJSON(t *lf.Type, value *ledgerpb.Value) ([]byte, error) {
	read, err := protovalue.Decode(t, value)
	if err != nil {
		return nil, err
	}
	return lf.EncodeJSON(t, read), nil
}

func kindOf(node *ledgerpb.Node) string {
	switch node.GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		return "create"
	case *ledgerpb.Node_Exercise:
		return "exercise"
	case *ledgerpb.Node_Fetch:
		return "fetch"
	case *ledgerpb.Node_Rollback:
		return "rollback"
	default:
		return "query by key"
	}
}
