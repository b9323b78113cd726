package ledger

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Dynamic is a transaction for [Code]: it names templates, choices and interfaces, and its values are those of package
// lf. Its errors are refusals or failures of the store.
type Dynamic struct{ tx *Tx }

// ContractView is a contract as its reader sees it.
type ContractView struct {
	Contract    ContractID
	Template    lf.TypeName
	PackageName string
	Payload     lf.Value
}

// Budget is the remaining cost of code in the transaction.
func (d Dynamic) Budget() *Budget { return d.tx.budget }

// Now is the ledger effective time; see [Tx.Now].
func (d Dynamic) Now() lf.Timestamp { return d.tx.Now() }

// IsBefore compares the ledger effective time; see [Tx.IsBefore].
func (d Dynamic) IsBefore(t lf.Timestamp) bool { return d.tx.IsBefore(t) }

// Create makes a contract.
func (d Dynamic) Create(name lf.TypeName, argument lf.Value) (ContractID, error) {
	t, err := d.template(name)
	if err != nil {
		return "", err
	}
	payload, err := t.payload.accept(argument)
	if err != nil {
		return "", d.unacceptable("payload of", t.name, err)
	}
	return d.tx.create(t, payload)
}

// Fetch reads a contract as one of a template.
func (d Dynamic) Fetch(name lf.TypeName, id ContractID) (ContractView, error) {
	t, err := d.template(name)
	if err != nil {
		return ContractView{}, err
	}
	found, err := d.tx.fetch(id, &t.name, nil)
	if err != nil {
		return ContractView{}, err
	}
	return found.seen()
}

// FetchThrough reads a contract that must implement an interface.
func (d Dynamic) FetchThrough(through lf.TypeName, id ContractID) (ContractView, error) {
	found, err := d.tx.fetch(id, nil, &through)
	if err != nil {
		return ContractView{}, err
	}
	return found.seen()
}

// Look is the contract that [Dynamic.FetchThrough] would read. It leaves no node in the transaction.
func (d Dynamic) Look(through lf.TypeName, id ContractID) (ContractView, error) {
	found, err := d.tx.lookup(id)
	if err != nil {
		return ContractView{}, err
	}
	if found, err = d.tx.asExpected(found, nil, &through); err != nil {
		return ContractView{}, err
	}
	return found.seen()
}

// Exercise exercises a choice of a template or of an interface.
func (d Dynamic) Exercise(of lf.TypeName, id ContractID, choiceName string, argument lf.Value) (lf.Value, error) {
	return d.exercise(of, id, choiceName, argument)
}

func (d Dynamic) exercise(of lf.TypeName, id ContractID, choiceName string, argument lf.Value) (lf.Value, error) {
	of = d.tx.env.Packages.canonical(of)
	declared, refusal := d.tx.env.Packages.findChoice(of, choiceName)
	if refusal != nil { // code was compiled against a version that has it
		return nil, refusal.WithHint(d.BuildAgainst(of.Package))
	}
	accepted, err := declared.argument.accept(argument)
	if err != nil {
		return nil, d.unacceptable("argument of "+choiceName+" on", of, err)
	}
	var through *lf.TypeName
	if d.tx.env.Packages.IsInterface(of) {
		through = &of
	}
	result, err := d.tx.exercise(id, &of, through, choiceName, accepted)
	if err != nil {
		return nil, err
	}
	return declared.result.toValue(result)
}

// View is the view of a contract through an interface that its template implements.
func (d Dynamic) View(template, through lf.TypeName, payload lf.Value) (lf.Value, error) {
	t, err := d.template(template)
	if err != nil {
		return nil, err
	}
	impl := t.interfaces[through]
	if impl == nil {
		return nil, fmt.Errorf("template %s does not implement interface %s", template, through)
	}
	accepted, err := t.payload.accept(payload)
	if err != nil {
		return nil, err
	}
	view, err := impl.view(d.tx, accepted)
	if err != nil {
		return nil, err
	}
	return d.tx.env.Packages.interfaces[through].view.toValue(view)
}

// Describe computes the signatories and observers of a contract that a payload would make.
func (d Dynamic) Describe(template lf.TypeName, payload lf.Value) (Description, error) {
	t, err := d.template(template)
	if err != nil {
		return Description{}, err
	}
	accepted, err := t.payload.accept(payload)
	if err != nil {
		return Description{}, err
	}
	described, err := t.describe(d.tx, accepted)
	return Description{Signatories: described.signatories, Observers: described.observers}, err
}

// Implements reports whether a template implements an interface.
func (d Dynamic) Implements(template, through lf.TypeName) bool {
	t := d.tx.env.Packages.templates[d.tx.env.Packages.canonical(template)]
	return t != nil && t.interfaces[through] != nil
}

// FetchByKey reads the contract that has a key.
func (d Dynamic) FetchByKey(name lf.TypeName, key lf.Value) (ContractView, error) {
	t, id, _, err := d.byKey(name, key)
	if err != nil {
		return ContractView{}, err
	}
	node := len(d.tx.nodes)
	found, err := d.tx.fetch(id, &t.name, nil)
	if err != nil {
		return ContractView{}, err
	}
	d.tx.nodes[node].ByKey = true
	return found.seen()
}

// ExerciseByKey exercises a choice of the contract that has a key.
func (d Dynamic) ExerciseByKey(
	name lf.TypeName, key lf.Value, choiceName string, argument lf.Value,
) (lf.Value, error) {
	t, id, _, err := d.byKey(name, key)
	if err != nil {
		return nil, err
	}
	node := len(d.tx.nodes)
	result, err := d.exercise(t.name, id, choiceName, argument)
	if err == nil {
		d.tx.nodes[node].ByKey = true
	}
	return result, err
}

// FindByKey is the contract that has a key; false when there is none. All maintainers of the key must authorize the
// lookup.
func (d Dynamic) FindByKey(name lf.TypeName, key lf.Value) (ContractView, bool, error) {
	t, id, contractKey, err := d.byKey(name, key)
	if contractKey != nil {
		have := d.tx.top().authorizers
		if missing := MissingParties(have, contractKey.Maintainers); len(missing) > 0 {
			return ContractView{}, false, unauthorized("lookup by key", t.name, "", have, missing)
		}
	}
	if refusal, ok := fault.As(err); ok && refusal.Code == fault.ContractKeyNotFound.ID {
		return ContractView{}, false, nil
	}
	if err != nil {
		return ContractView{}, false, err
	}
	found, err := d.tx.lookup(id)
	if err != nil {
		return ContractView{}, false, err
	}
	if found, err = d.tx.asExpected(found, &t.name, nil); err != nil {
		return ContractView{}, false, err
	}
	seen, err := found.seen()
	return seen, true, err
}

// byKey finds the contract that has a key. It returns every well-formed key, even without a contract.
func (d Dynamic) byKey(name lf.TypeName, key lf.Value) (*template, ContractID, *ContractKey, error) {
	t, err := d.template(name)
	if err != nil {
		return nil, "", nil, err
	}
	if t.key == nil {
		return nil, "", nil, fmt.Errorf("template %s has no contract key", name)
	}
	accepted, err := t.key.value.accept(key)
	if err != nil {
		return nil, "", nil, err
	}
	contractKey, err := d.tx.contractKey(t, accepted)
	if fault.CreateEmptyContractKeyMaintainers.Matches(err) {
		err = fault.FetchEmptyContractKeyMaintainers.New("Interpretation error: Error: Update failed due to a fetch, "+
			"lookup or exercise by key of contract key with no maintainers: template %s", t.name).
			WithResource("TEMPLATE_ID", t.name.String())
	}
	if err != nil {
		return nil, "", nil, err
	}
	id, err := d.tx.findKey(t, contractKey)
	return t, id, contractKey, err
}

// Mark is a point of a transaction to go back to.
type Mark struct{ frames, nodes, children, effects int }

// Mark is the current point of the transaction.
func (d Dynamic) Mark() Mark {
	tx := d.tx
	return Mark{frames: len(tx.frames), nodes: len(tx.nodes), children: len(*tx.siblings()), effects: len(tx.effects)}
}

// TakeBack goes back to a point of the transaction when an exception is caught. It refuses to take back creates and
// consuming exercises, as upstream does.
func (d Dynamic) TakeBack(to Mark) error {
	tx := d.tx
	if effects := tx.effects[to.effects:]; len(effects) > 0 {
		return effectfulRollback(tx, effects)
	}
	tx.frames, tx.nodes = tx.frames[:to.frames], tx.nodes[:to.nodes]
	siblings := tx.siblings()
	*siblings = (*siblings)[:to.children]
	return nil
}

// siblings are the nodes below the current one.
func (tx *Tx) siblings() *[]int32 {
	if top := tx.top(); top.node >= 0 {
		return &tx.nodes[top.node].Children
	}
	return &tx.roots
}

func effectfulRollback(tx *Tx, ids []int32) error {
	var effects []string
	for _, id := range ids[:min(len(ids), maxListed)] {
		node := tx.nodes[id]
		what := "Create of " + node.Template.String()
		if node.Kind == EventExercise {
			what = "Consuming exercise of " + node.Choice + " on " + node.Template.String()
		}
		effects = append(effects, what+" ("+string(node.ContractID)+")")
	}
	return fault.DamlEffectfulRollbackError.New(
		"Interpretation error: Error: Tried to rollback side-effectful node(s): %s", strings.Join(effects, ", "))
}

func (d Dynamic) template(name lf.TypeName) (*template, error) {
	if t := d.tx.env.Packages.templates[d.tx.env.Packages.canonical(name)]; t != nil {
		return t, nil
	}
	refusal := fault.IdentifiersNotFound([]string{name.String()}, nil)
	if hint := d.BuildAgainst(name.Package); hint != "" {
		refusal = refusal.WithHint(hint)
	}
	return nil, refusal
}

// BuildAgainst is the hint of [Package.BuildAgainst] for a package id; "" for unknown ids.
func (d Dynamic) BuildAgainst(id lf.PackageID) string {
	packages := d.tx.env.Packages
	for _, pkg := range packages.list {
		if pkg.ID == packages.byID[id] {
			return pkg.BuildAgainst()
		}
	}
	return ""
}

// canonical is the name of a template or interface with the package id that the node uses.
func (p *Packages) canonical(name lf.TypeName) lf.TypeName {
	if used, ok := p.byID[name.Package]; ok {
		name.Package = used
	}
	return name
}

func (i instance) seen() (ContractView, error) {
	payload, err := i.template.payload.toValue(i.payload)
	return ContractView{
		Contract: i.contract.ID, Template: i.template.name, PackageName: i.template.packageName, Payload: payload,
	}, err
}

// unacceptable refuses a value that does not fit the type in another version of the package.
func (d Dynamic) unacceptable(what string, name lf.TypeName, err error) error {
	return fault.InterpretationUpgradeErrorTranslationFailed.New(
		"Interpretation error: Error: the %s %s: %s", what, name, err).WithHint(d.BuildAgainst(name.Package))
}
