package ledger

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Tx is a transaction while it is being interpreted: what a choice's body works through. A body can create, fetch and
// exercise contracts and read the ledger time, and fail by returning an error; there is nothing else it could do.
type Tx struct {
	env       Environment
	readers   []Party // who the submission may read as, sorted
	disclosed map[ContractID]Contract

	nodes  []TxNode
	roots  []int32
	frames []frame

	created  map[ContractID]instance // contracts of this transaction
	consumed map[ContractID]bool     // contracts archived in this transaction
	inputs   map[ContractID]instance // contracts from the store, by id
	order    []ContractID            // inputs in order of first use
	keys     map[string]ContractID   // keys of contracts of this transaction
	timeUsed bool
}

// frame is the context in which a node runs: on whose authority, and under which node.
type frame struct {
	authorizers []Party // sorted
	node        int32   // -1 at the root
	seed        [32]byte
	children    uint32
}

// instance is a contract with its payload in Go form.
type instance struct {
	contract Contract
	template *template
	payload  any
}

func newTx(submission Submission, env Environment) *Tx {
	tx := &Tx{
		env: env, readers: SortedParties(submission.ActAs, submission.ReadAs),
		disclosed: map[ContractID]Contract{}, created: map[ContractID]instance{}, consumed: map[ContractID]bool{},
		inputs: map[ContractID]instance{}, keys: map[string]ContractID{},
	}
	for _, contract := range submission.Disclosed {
		tx.disclosed[contract.ID] = contract
	}
	tx.frames = []frame{{authorizers: SortedParties(submission.ActAs), node: -1, seed: env.Seed}}
	return tx
}

// Now is the ledger effective time.
func (tx *Tx) Now() lf.Timestamp {
	tx.timeUsed = true
	return lf.TimestampOf(tx.env.EffectiveAt)
}

// Create makes a contract with the payload. It needs the authority of all signatories.
func Create[T any](tx *Tx, payload T) (lf.CID[T], error) {
	t, ok := tx.env.Packages.byGoType[reflect.TypeFor[T]()]
	if !ok {
		return "", fmt.Errorf("no template has the payload %T", payload)
	}
	id, err := tx.create(t, payload)
	return lf.CID[T](id), err
}

// Fetch reads an active contract of template T. It needs the authority of a stakeholder.
func Fetch[T any](tx *Tx, id lf.CID[T]) (T, error) {
	var none T
	t, ok := tx.env.Packages.byGoType[reflect.TypeFor[T]()]
	if !ok {
		return none, fmt.Errorf("no template has the payload %T", none)
	}
	found, err := tx.fetch(id.ID(), nil)
	if err != nil {
		return none, err
	}
	if found.template != t {
		return none, wronglyTyped(id.ID(), t.name, found.template.name)
	}
	return found.payload.(T), nil
}

// FetchView reads the view of an active contract through interface I. It needs the authority of a stakeholder.
func FetchView[V, I any](tx *Tx, id lf.CID[I]) (V, error) {
	var none V
	name, err := tx.interfaceName(reflect.TypeFor[I]())
	if err != nil {
		return none, err
	}
	found, err := tx.fetch(id.ID(), &name)
	if err != nil {
		return none, err
	}
	impl, ok := found.template.interfaces[name]
	if !ok {
		return none, notImplemented(id.ID(), found.template.name, name)
	}
	view, err := impl.view(found.payload)
	if err != nil {
		return none, err
	}
	typed, ok := view.(V)
	if !ok {
		return none, fmt.Errorf("the view of %s is %T, not %T", name, view, none)
	}
	return typed, nil
}

// Exercise exercises, on a contract of template T, the choice whose argument type is A. It needs the authority of all
// controllers; the body then runs on theirs and the signatories' authority.
func Exercise[R, T, A any](tx *Tx, id lf.CID[T], argument A) (R, error) {
	return exerciseTyped[R](tx, reflect.TypeFor[T](), id.ID(), argument)
}

// ArchiveContract archives a contract: the choice that every template has, controlled by all signatories together.
func ArchiveContract[T any](tx *Tx, id lf.CID[T]) error {
	_, err := Exercise[lf.Unit](tx, id, lf.Archive{})
	return err
}

func exerciseTyped[R any](tx *Tx, contractType reflect.Type, id ContractID, argument any) (R, error) {
	var none R
	var expected, through *lf.TypeName
	var c *choice
	if t, ok := tx.env.Packages.byGoType[contractType]; ok {
		expected, c = &t.name, choiceWithArgument(t.choices, argument)
	} else {
		name, err := tx.interfaceName(contractType)
		if err != nil {
			return none, err
		}
		expected, through = &name, &name
		c = choiceWithArgument(tx.env.Packages.interfaces[name].choices, argument)
	}
	if c == nil {
		return none, fmt.Errorf("%s has no choice with the argument %T", expected, argument)
	}
	result, err := tx.exercise(id, expected, through, c.name, argument)
	if err != nil {
		return none, err
	}
	typed, ok := result.(R)
	if !ok {
		return none, fmt.Errorf("choice %s returns %T, not %T", c.name, result, none)
	}
	return typed, nil
}

func choiceWithArgument(choices map[string]*choice, argument any) *choice {
	for _, c := range choices {
		if c.argument.goType == reflect.TypeOf(argument) {
			return c
		}
	}
	return nil
}

func (tx *Tx) interfaceName(marker reflect.Type) (lf.TypeName, error) {
	for _, declared := range tx.env.Packages.interfaces {
		if declared.marker == marker {
			return declared.name, nil
		}
	}
	return lf.TypeName{}, fmt.Errorf("%s is neither a template's payload nor an interface", marker)
}

func (tx *Tx) top() *frame { return &tx.frames[len(tx.frames)-1] }

// add appends a node under the current frame and gives it its id and seed.
func (tx *Tx) add(node TxNode) (int32, error) {
	if len(tx.nodes) >= maxTransactionNodes {
		return 0, fault.DamlInterpretationError.New(
			"Interpretation error: the transaction has more than %d nodes", maxTransactionNodes).
			WithHint("Split the commands over several submissions.")
	}
	id := int32(len(tx.nodes))
	node.ID, node.LastDescendant = id, id
	top := tx.top()
	node.Seed = childSeed(top.seed, top.children)
	top.children++
	if top.node < 0 {
		tx.roots = append(tx.roots, id)
	} else {
		tx.nodes[top.node].Children = append(tx.nodes[top.node].Children, id)
	}
	tx.nodes = append(tx.nodes, node)
	return id, nil
}

func (tx *Tx) create(t *template, payload any) (ContractID, error) {
	argument, err := t.payload.toValue(payload)
	if err != nil {
		return "", err
	}
	signatories := SortedParties(t.signatories(payload))
	observers := observersWithout(signatories, t.observers(payload))
	if err := checkCreate(t, payload, signatories, observers); err != nil {
		return "", err
	}
	if missing := MissingParties(tx.top().authorizers, signatories); len(missing) > 0 {
		return "", unauthorized("create", t.name, "", tx.top().authorizers, missing)
	}
	key, err := tx.claimKey(t, payload)
	if err != nil {
		return "", err
	}
	node := TxNode{
		Kind: EventCreate, Template: t.name, PackageName: t.packageName, Signatories: signatories, Observers: observers,
		Key: key, Argument: argument, ArgumentType: t.payload.lfType,
	}
	nodeID, err := tx.add(node)
	if err != nil {
		return "", err
	}
	created := &tx.nodes[nodeID]
	created.ContractID = localContractID(created.Seed, tx.env.EffectiveAt, created.Stakeholders())
	tx.created[created.ContractID] = instance{
		contract: Contract{
			ID: created.ContractID, Template: t.name, PackageName: t.packageName,
			Signatories: signatories, Observers: observers, Key: key, CreatedAt: tx.env.EffectiveAt,
		},
		template: t, payload: payload,
	}
	if key != nil {
		tx.keys[key.Hash] = created.ContractID
	}
	return created.ContractID, nil
}

func checkCreate(t *template, payload any, signatories, observers []Party) error {
	if len(signatories) == 0 {
		return fault.DamlInterpretationError.New(
			"Interpretation error: Error: Contract of template %s would have no signatories", t.name.QualifiedName())
	}
	for _, party := range slices.Concat(signatories, observers) {
		if err := CheckParty(string(party)); err != nil {
			return fault.DamlInterpreterInvalidArgument.New("Interpretation error: Error: %s", err)
		}
	}
	if !t.ensure(payload) {
		return fault.TemplatePreconditionViolated.New(
			"Interpretation error: Error: Template precondition violated: %s", t.name.QualifiedName()).
			WithResource("TEMPLATE_ID", t.name.String())
	}
	return nil
}

func (tx *Tx) fetch(id ContractID, through *lf.TypeName) (instance, error) {
	found, err := tx.lookup(id)
	if err != nil {
		return instance{}, err
	}
	stakeholders := found.contract.Stakeholders()
	authorizers := tx.top().authorizers
	if !PartiesOverlap(stakeholders, authorizers) {
		return instance{}, unauthorized("fetch", found.template.name, "", authorizers, stakeholders)
	}
	_, err = tx.add(TxNode{
		Kind: EventFetch, ContractID: id, Template: found.template.name, PackageName: found.template.packageName,
		Signatories: found.contract.Signatories, Observers: found.contract.Observers, Interface: through,
		ActingParties: slices.DeleteFunc(slices.Clone(stakeholders), func(party Party) bool {
			return !PartiesContain(authorizers, party)
		}),
	})
	return found, err
}

// exercise runs a choice. expected is the template or interface that the caller names; through is set when it is an
// interface.
func (tx *Tx) exercise(id ContractID, expected, through *lf.TypeName, name string, argument any) (any, error) {
	if len(tx.frames) > maxCallDepth {
		return nil, fault.DamlInterpretationError.New(
			"Interpretation error: choices exercise one another more than %d levels deep", maxCallDepth)
	}
	found, err := tx.lookup(id)
	if err != nil {
		return nil, err
	}
	c, err := chooseChoice(found, expected, through, name)
	if err != nil {
		return nil, err
	}
	node, err := tx.exerciseNode(found, c, through, argument)
	if err != nil {
		return nil, err
	}
	nodeID, err := tx.add(node)
	if err != nil {
		return nil, err
	}
	if c.consuming {
		tx.consume(found.contract)
	}
	tx.frames = append(tx.frames, frame{
		authorizers: SortedParties(node.Signatories, node.ActingParties), node: nodeID, seed: tx.nodes[nodeID].Seed,
	})
	result, err := c.body(tx, id, found.payload, argument)
	if err != nil {
		return nil, inExercise(err, found.template.name, name)
	}
	tx.frames = tx.frames[:len(tx.frames)-1]
	tx.nodes[nodeID].LastDescendant = int32(len(tx.nodes) - 1)
	tx.nodes[nodeID].ResultType = c.result.lfType
	tx.nodes[nodeID].Result, err = c.result.toValue(result)
	return result, err
}

func chooseChoice(found instance, expected, through *lf.TypeName, name string) (*choice, error) {
	choices := found.template.choices
	if through != nil {
		impl, ok := found.template.interfaces[*through]
		if !ok {
			return nil, notImplemented(found.contract.ID, found.template.name, *through)
		}
		choices = impl.choices
	} else if found.template.name != *expected {
		return nil, wronglyTyped(found.contract.ID, *expected, found.template.name)
	}
	c, ok := choices[name]
	if !ok {
		return nil, fault.InvalidArgumentf("choice %s not found on %s", shorten(name), expected)
	}
	return c, nil
}

func (tx *Tx) exerciseNode(found instance, c *choice, through *lf.TypeName, argument any) (TxNode, error) {
	value, err := c.argument.toValue(argument)
	if err != nil {
		return TxNode{}, err
	}
	controllers := SortedParties(c.controllers(found.payload, argument))
	if len(controllers) == 0 {
		return TxNode{}, fault.DamlInterpretationError.New(
			"Interpretation error: Error: choice %s of %s has no controllers", c.name, found.template.name.QualifiedName())
	}
	authorizers := tx.top().authorizers
	if missing := MissingParties(authorizers, controllers); len(missing) > 0 {
		return TxNode{}, unauthorized("exercise", found.template.name, c.name, authorizers, missing)
	}
	var observers []Party
	if c.observers != nil {
		observers = SortedParties(c.observers(found.payload, argument))
	}
	return TxNode{
		Kind: EventExercise, ContractID: found.contract.ID, Template: found.template.name,
		PackageName: found.template.packageName, Signatories: found.contract.Signatories,
		Observers: found.contract.Observers, Key: found.contract.Key, Argument: value, ArgumentType: c.argument.lfType,
		Interface: through, Choice: c.name, Consuming: c.consuming, ActingParties: controllers, ChoiceObservers: observers,
	}, nil
}

func (tx *Tx) consume(contract Contract) {
	tx.consumed[contract.ID] = true
	if contract.Key != nil && tx.keys[contract.Key.Hash] == contract.ID {
		delete(tx.keys, contract.Key.Hash)
	}
}

// lookup finds an active contract that the submission may use: one of this transaction, a disclosed one, or one in the
// store that a reader is a stakeholder of.
func (tx *Tx) lookup(id ContractID) (instance, error) {
	if tx.consumed[id] {
		found := tx.created[id]
		if found.template == nil {
			found = tx.inputs[id]
		}
		return instance{}, fault.ContractNotActive.New(
			"Interpretation error: Error: Update failed due to fetch-by-id or exercise of inactive contract %s", id).
			WithResource("CONTRACT_ID", string(id)).WithResource("TEMPLATE_ID", found.template.name.String())
	}
	if found, ok := tx.created[id]; ok {
		return found, nil
	}
	if found, ok := tx.inputs[id]; ok {
		return found, nil
	}
	contract, ok, err := tx.env.Store.ActiveContract(id)
	if err != nil {
		return instance{}, err
	}
	if !ok || !tx.mayUse(contract) {
		return instance{}, fault.ContractNotFoundWithID(string(id)).WithHint(
			"Check that the contract is active and that actAs or readAs names one of its stakeholders, " +
				"or attach it to disclosedContracts.")
	}
	t, known := tx.env.Packages.templates[contract.Template]
	if !known {
		return instance{}, fmt.Errorf("contract %s has unknown template %s", id, contract.Template)
	}
	payload, err := t.decodePayload(contract)
	if err != nil {
		return instance{}, err
	}
	found := instance{contract: contract, template: t, payload: payload}
	tx.inputs[id] = found
	tx.order = append(tx.order, id)
	return found, nil
}

// mayUse tells whether the submission sees the contract. Disclosed contracts were authenticated against their ids
// before interpretation, so the id alone decides.
func (tx *Tx) mayUse(contract Contract) bool {
	if _, ok := tx.disclosed[contract.ID]; ok {
		return true
	}
	return PartiesOverlap(tx.readers, contract.Stakeholders())
}

// finish turns what was recorded into the transaction.
func (tx *Tx) finish() (Transaction, error) {
	if len(tx.nodes) == 0 {
		return Transaction{}, errors.New("a submission without commands reached interpretation")
	}
	transaction := Transaction{
		Nodes: tx.nodes, Roots: tx.roots, EffectiveAt: tx.env.EffectiveAt, TimeUsed: tx.timeUsed,
	}
	for _, id := range tx.order {
		transaction.Inputs = append(transaction.Inputs, tx.inputs[id].contract)
	}
	transaction.assignContractIDs()
	return transaction, nil
}
