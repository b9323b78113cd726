package ledger

import (
	"errors"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Tx is a transaction during interpretation. Through it, the body of a choice can create, fetch and exercise contracts
// and read the ledger time. A body fails by returning an error.
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
	earliest *lf.Timestamp           // no earlier ledger time gives the same answers
	latest   *lf.Timestamp           // nor any later one
	allowed  allowance               // the remaining limits
	budget   *Budget                 // the remaining cost of code that is not Go
	effects  []int32                 // the nodes that created or archived contracts
	// preferred are the packages that the submission prefers, by their names.
	preferred map[string]lf.PackageID
	versions  map[versionKey]instance // contracts as ones of other versions of their templates
}

type frame struct {
	authorizers []Party // sorted
	witnesses   []Party // of everything below, sorted
	node        int32   // -1 at the root
	seed        [32]byte
	children    uint32
}

type instance struct {
	contract Contract
	template *template
	payload  any
}

func newTx(submission Submission, env Environment) *Tx {
	tx := &Tx{
		env: env, readers: SortedParties(submission.ActAs, submission.ReadAs),
		disclosed: map[ContractID]Contract{}, created: map[ContractID]instance{}, consumed: map[ContractID]bool{},
		inputs: map[ContractID]instance{}, keys: map[string]ContractID{}, allowed: newAllowance(submission.Commands),
		budget: env.Budget, preferred: env.Packages.preferences(submission.Preference), versions: map[versionKey]instance{},
	}
	for _, contract := range submission.Disclosed {
		tx.disclosed[contract.ID] = contract
	}
	tx.frames = []frame{{authorizers: SortedParties(submission.ActAs), node: -1, seed: env.Seed}}
	return tx
}

// Now is the ledger effective time. To compare it, use [Tx.IsBefore]: after Now the transaction is valid at this time
// only.
func (tx *Tx) Now() lf.Timestamp {
	now := lf.TimestampOf(tx.env.EffectiveAt)
	tx.notBefore(now)
	tx.notAfter(now)
	return now
}

// IsBefore reports whether the ledger effective time is strictly before t. A transaction that was prepared for signing
// stays valid while the answer stays the same.
func (tx *Tx) IsBefore(t lf.Timestamp) bool {
	if lf.TimestampOf(tx.env.EffectiveAt) < t {
		tx.notAfter(t - 1)
		return true
	}
	tx.notBefore(t)
	return false
}

func (tx *Tx) notBefore(t lf.Timestamp) {
	if tx.earliest == nil || *tx.earliest < t {
		tx.earliest = &t
	}
}

func (tx *Tx) notAfter(t lf.Timestamp) {
	if tx.latest == nil || *tx.latest > t {
		tx.latest = &t
	}
}

func (tx *Tx) top() *frame { return &tx.frames[len(tx.frames)-1] }

func (tx *Tx) add(node TxNode) (int32, error) {
	if len(tx.nodes) >= MaxTransactionNodes {
		return 0, fault.DamlInterpretationError.New(
			"Interpretation error: the transaction has more than %d nodes", MaxTransactionNodes).
			WithHint("Split the commands over several submissions.")
	}
	if err := tx.env.Packages.checkVetted(node); err != nil {
		return 0, err
	}
	top := tx.top()
	if err := tx.allowed.takeNode(node, SortedParties(top.witnesses, node.Informees())); err != nil {
		return 0, err
	}
	id := int32(len(tx.nodes))
	node.ID, node.LastDescendant = id, id
	node.Seed = ChildSeed(top.seed, top.children)
	if run := tx.env.Prepared; run != nil && top.node < 0 && int(top.children) < len(run.RootSeeds) {
		node.Seed = run.RootSeeds[top.children]
	}
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
	if err := tx.holdPayload(t.name, argument); err != nil {
		return "", err
	}
	described, err := t.describe(tx, payload)
	if err != nil {
		return "", err
	}
	signatories, observers := described.signatories, described.observers
	if err := checkCreate(t, payload, signatories, observers); err != nil {
		return "", err
	}
	if missing := MissingParties(tx.top().authorizers, signatories); len(missing) > 0 {
		return "", unauthorized("create", t.name, "", tx.top().authorizers, missing)
	}
	key, err := tx.claimKey(t, described)
	if err != nil {
		return "", err
	}
	node := TxNode{
		Kind: EventCreate, Template: t.name, PackageName: t.packageName, Signatories: signatories, Observers: observers,
		Key: key, Argument: argument, ArgumentType: t.payload.lfType,
		InNetwork: t.includes != nil && t.includes(tx.env.Network, payload, signatories),
	}
	nodeID, err := tx.add(node)
	if err != nil {
		return "", err
	}
	tx.effects = append(tx.effects, nodeID)
	created := &tx.nodes[nodeID]
	created.ContractID = LocalContractID(created.Seed, tx.env.preparedAt(), created.Stakeholders())
	if _, again := tx.created[created.ContractID]; again { // a client that prepares a transaction chooses the root seeds
		return "", fault.DamlInterpretationError.New(
			"Interpretation error: two contracts of the transaction would have the id %s", created.ContractID)
	}
	tx.created[created.ContractID] = instance{
		contract: Contract{
			ID: created.ContractID, Template: t.name, PackageName: t.packageName,
			Signatories: signatories, Observers: observers, Key: key, CreatedAt: tx.env.EffectiveAt,
			InNetwork: node.InNetwork,
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
	if unmet := t.unmet(payload); unmet != "" {
		return fault.TemplatePreconditionViolated.New(
			"Interpretation error: Error: Template precondition violated: %s", t.name.QualifiedName()).
			WithResource("TEMPLATE_ID", t.name.String()).
			WithHint("The template requires that " + unmet + ". Correct these fields.")
	}
	return nil
}

// fetch records that a contract is read: as one of the expected template, or through an interface.
func (tx *Tx) fetch(id ContractID, expected, through *lf.TypeName) (instance, error) {
	found, err := tx.lookup(id)
	if err != nil {
		return instance{}, err
	}
	if found, err = tx.asExpected(found, expected, through); err != nil {
		return instance{}, err
	}
	stakeholders := found.contract.Stakeholders()
	authorizers := tx.top().authorizers
	if !PartiesOverlap(stakeholders, authorizers) {
		return instance{}, unauthorized("fetch", found.template.name, "", authorizers, stakeholders)
	}
	_, err = tx.add(TxNode{
		Kind: EventFetch, ContractID: id, Template: found.template.name, PackageName: found.template.packageName,
		Signatories: found.contract.Signatories, Observers: found.contract.Observers, Key: found.contract.Key,
		InNetwork: found.contract.InNetwork, Interface: through,
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
	if found, err = tx.asExpected(found, expected, through); err != nil {
		return nil, err
	}
	c, err := chooseChoice(found, expected, through, name)
	if err != nil {
		return nil, err
	}
	node, authorizers, err := tx.exerciseNode(found, c, through, argument)
	if err != nil {
		return nil, err
	}
	if err := tx.checkLent(node); err != nil {
		return nil, err
	}
	nodeID, err := tx.add(node)
	if err != nil {
		return nil, err
	}
	if c.consuming {
		tx.consume(found.contract)
		tx.effects = append(tx.effects, nodeID)
	}
	witnesses := SortedParties(tx.top().witnesses, node.Informees())
	tx.frames = append(tx.frames, frame{
		authorizers: authorizers, node: nodeID, seed: tx.nodes[nodeID].Seed,
		witnesses: witnesses,
	})
	result, err := c.body(tx, id, found.payload, argument)
	if err != nil {
		return nil, inExercise(err, nodeID, id, found.template.name, name)
	}
	tx.frames = tx.frames[:len(tx.frames)-1]
	tx.nodes[nodeID].LastDescendant = int32(len(tx.nodes) - 1)
	tx.nodes[nodeID].ResultType = c.result.lfType
	if tx.nodes[nodeID].Result, err = c.result.toValue(result); err == nil {
		err = tx.holdResult(found.template.name, name, tx.nodes[nodeID].Result)
	}
	return result, err
}

func chooseChoice(found instance, expected, through *lf.TypeName, name string) (*choice, error) {
	choices := found.template.choices
	if through != nil {
		choices = found.template.interfaces[*through].choices
	}
	c, ok := choices[name]
	if !ok {
		return nil, fault.InvalidArgumentf("choice %s not found on %s", fault.Shorten(name), expected)
	}
	return c, nil
}

// exerciseNode is the node of an exercise, and the authorizers of the nodes below it.
func (tx *Tx) exerciseNode(found instance, c *choice, through *lf.TypeName, argument any) (
	node TxNode, authorizers []Party, err error,
) {
	value, err := c.argument.toValue(argument)
	if err != nil {
		return TxNode{}, nil, err
	}
	if err := tx.holdArgument(found.template.name, c.name, value); err != nil {
		return TxNode{}, nil, err
	}
	involved, err := c.parties(tx, found.contract.ID, found.payload, argument)
	if err != nil {
		return TxNode{}, nil, err
	}
	controllers := SortedParties(involved.Controllers)
	if len(controllers) == 0 {
		return TxNode{}, nil, fault.DamlInterpretationError.New(
			"Interpretation error: Error: choice %s of %s has no controllers", c.name, found.template.name.QualifiedName())
	}
	have, required := tx.top().authorizers, SortedParties(controllers, involved.Authorizers)
	if missing := MissingParties(have, required); len(missing) > 0 {
		return TxNode{}, nil, unauthorized("exercise", found.template.name, c.name, have, missing)
	}
	authorizers = SortedParties(found.contract.Signatories, controllers)
	if involved.OwnAuthors {
		authorizers = SortedParties(involved.Authorizers)
	}
	return TxNode{
		Kind: EventExercise, ContractID: found.contract.ID, Template: found.template.name,
		PackageName: found.template.packageName, Signatories: found.contract.Signatories,
		Observers: found.contract.Observers, Key: found.contract.Key, InNetwork: found.contract.InNetwork,
		Argument: value, ArgumentType: c.argument.lfType,
		Interface: through, Choice: c.name, Consuming: c.consuming, ActingParties: controllers,
		ChoiceObservers: SortedParties(involved.Observers),
	}, authorizers, nil
}

func (tx *Tx) consume(contract Contract) {
	tx.consumed[contract.ID] = true
	if contract.Key != nil && tx.keys[contract.Key.Hash] == contract.ID {
		delete(tx.keys, contract.Key.Hash)
	}
}

// finish makes the transaction from the recorded nodes.
func (tx *Tx) finish() (Transaction, error) {
	if len(tx.nodes) == 0 {
		return Transaction{}, errors.New("a submission without commands reached interpretation")
	}
	transaction := Transaction{
		Nodes: tx.nodes, Roots: tx.roots, EffectiveAt: tx.env.EffectiveAt,
		Earliest: timeOf(tx.earliest), Latest: timeOf(tx.latest), Bytes: tx.allowed.record.taken(),
	}
	used := make(map[ContractID]bool, len(tx.order))
	for _, node := range tx.nodes {
		used[node.ContractID] = true
	}
	for _, id := range tx.order {
		if used[id] { // no input: contracts without a node (looked at, or taken back)
			transaction.Inputs = append(transaction.Inputs, tx.inputs[id].contract)
		}
	}
	transaction.AssignContractIDs()
	return transaction, nil
}

func timeOf(stamp *lf.Timestamp) *time.Time {
	if stamp == nil {
		return nil
	}
	at := stamp.Time()
	return &at
}
