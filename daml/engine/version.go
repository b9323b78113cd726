package engine

import (
	"fmt"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Code may use a contract in another version of its template: a template of the same name, in a package of the same
// name. Then the argument must fit that version's type, and that version must compute the metadata that the contract
// was created with.

// instance is a contract, with its argument as the ledger stores it.
type instance struct {
	contract ledger.Contract
	stored   lf.Value
	versions map[lf.PackageID]*version
}

// version is a contract in one version of its template.
type version struct {
	*instance
	template *template
	argument Value
}

// addVersion records that code can use the contract in a version.
func (i *instance) addVersion(v *version) {
	if i.versions == nil {
		i.versions = map[lf.PackageID]*version{}
	}
	i.versions[v.template.name.Package] = v
}

// useTemplate continues with a contract in the version of a template.
func (m *machine) useTemplate(name lf.TypeName, id lf.ContractID, then func(found *version) code) code {
	t, failure := m.program.template(name)
	if failure != nil {
		return m.fail(failure)
	}
	found, failure := m.lookup(id)
	if failure != nil {
		return m.fail(failure)
	}
	return m.as(t, []*instance{found}, func(versions []*version) code { return then(versions[0]) })
}

// useInterface continues with a contract in the selected version of its template, which must implement an interface.
func (m *machine) useInterface(name lf.TypeName, id lf.ContractID, then func(found *version) code) code {
	found, failure := m.lookup(id)
	if failure != nil {
		return m.fail(failure)
	}
	of, failure := m.ledger.selectVersion(found)
	if failure != nil {
		return m.fail(failure)
	}
	t, failure := m.program.template(of)
	if failure != nil || t.def.Implementation(name) == nil {
		return m.fail(failureOf(fault.ContractDoesNotImplementInterface.New(interpretationError+
			"Update failed due to contract %s not implementing an interface: expected contract to implement interface %s "+
			"but contract has type %s", id, name, of).
			WithResource("CONTRACT_ID", string(id)).
			WithResource("TEMPLATE_ID", of.String()).
			WithResource("INTERFACE_ID", name.String())))
	}
	return m.as(t, []*instance{found}, func(versions []*version) code { return then(versions[0]) })
}

// selectVersion returns the version of a contract's template in the selected package.
func (t *transaction) selectVersion(found *instance) (lf.TypeName, *Failure) {
	of := found.contract.Template
	if t.env.Packages == nil {
		return of, nil
	}
	id, ok := t.env.Packages[found.contract.PackageName]
	if !ok {
		return of, failureOf(fault.UnresolvedPackageName.New(
			"An interface uses contract %s, but no package is selected for its package name %s",
			found.contract.ID, found.contract.PackageName).With("package_name", found.contract.PackageName))
	}
	of.Package = id
	return of, nil
}

// conversion converts contracts to a version of their template, one after another, and continues with them. Nothing can
// catch an exception of that version's expressions.
type conversion struct {
	template  *template
	instances []*instance
	versions  []*version
	then      func(versions []*version) code

	next     *version // the contract whose metadata is being computed
	metadata *metadata
}

// as continues with contracts in the version of a template.
func (m *machine) as(t *template, found []*instance, then func(versions []*version) code) code {
	u := &conversion{template: t, instances: found, then: then}
	return u.advance(m)
}

func (u *conversion) advance(m *machine) code {
	for len(u.versions) < len(u.instances) {
		found := u.instances[len(u.versions)]
		if known := found.versions[u.template.name.Package]; known != nil && known.template.name == u.template.name {
			u.versions = append(u.versions, known)
			continue
		}
		v, failure := m.translate(found, u.template)
		switch {
		case failure != nil:
			return m.fail(failure)
		case found.contract.Template == u.template.name: // this version computed the metadata of the create
			found.addVersion(v)
			continue
		}
		u.next, u.metadata = v, &metadata{template: v.template, argument: v.argument}
		m.push(u, 0, 0, nil)
		return u.metadata.compute(m)
	}
	return u.then(u.versions)
}

func (u *conversion) resume(m *machine, _ *frame) code {
	if failure := u.next.agrees(u.metadata); failure != nil {
		return m.fail(failure)
	}
	u.next.addVersion(u.next)
	return u.advance(m)
}

func (u *conversion) handle(m *machine, _ *frame, thrown *Failure) code {
	return m.handleUncaught(thrown)
}

// translate converts a contract's argument to a version of its template.
func (m *machine) translate(found *instance, t *template) (*version, *Failure) {
	of := found.contract.Template
	if of.Module != t.name.Module || of.Entity != t.name.Entity {
		return nil, wrongType(found.contract.ID, t.name, of)
	}
	argument, failure := m.argumentOf(t, of, string(found.contract.ID), found.stored)
	if failure != nil {
		return nil, failure
	}
	return &version{instance: found, template: t, argument: argument}, nil
}

// argumentOf converts a stored argument from one version of a template to another. The failure has the contract's id;
// "" for none.
func (m *machine) argumentOf(t *template, of lf.TypeName, id string, stored lf.Value) (Value, *Failure) {
	argumentType, err := m.program.LFType(t.name)
	if err != nil {
		return nil, crash("%s", err)
	}
	argument, err := m.importValue(argumentType, stored)
	switch {
	case m.failure != nil:
		return nil, m.failure
	case err == nil:
		return argument, nil
	case of == t.name: // a program with these packages stored it
		return nil, &Failure{err: fmt.Errorf("contract %s: %w", id, err)}
	default:
		return nil, m.translationFailure(t.name, of, id, stored, err)
	}
}

// translationFailure is the failure of an argument that does not fit another version of its template.
func (m *machine) translationFailure(to, of lf.TypeName, id string, stored lf.Value, err error) *Failure {
	contract, nullable := "contract "+id, id
	if id == "" {
		contract, nullable = "a contract", "NULL"
	}
	refusal := fault.InterpretationUpgradeErrorTranslationFailed.New(interpretationError+
		"Translation of %s to a value of type %s fails. Reason: %s. The contract is purportedly an instance of %s",
		contract, to, err, of).
		WithResource("NULLABLE_CONTRACT_ID", nullable).
		WithResource("TEMPLATE_ID", of.String()).
		WithResource("TEMPLATE_ID", to.String())
	if t, err := m.program.LFType(of); err == nil {
		encoded := lf.EncodeJSON(t, stored)
		if !m.alloc(len(encoded)) || !m.work(2*len(encoded)) {
			return m.failure
		}
		refusal = refusal.WithResource("CONTRACT_ARG", string(encoded))
	}
	return failureOf(refusal)
}

// agrees checks that a version computes the same metadata as the create.
func (v *version) agrees(metadata *metadata) *Failure {
	says := ledger.Contract{
		Template: v.template.name, PackageName: v.template.pkg.Name, Signatories: metadata.signatories,
		Observers: metadata.observers, Key: metadata.key,
	}
	if refusal := ledger.CheckUpgraded(v.contract, says); refusal != nil {
		return failureOf(refusal)
	}
	return nil
}
