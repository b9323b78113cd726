package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// A contract may be used as one of another version of its template: a template of the same name, in a package of the
// same name. Its payload is then one of that version's type, and what that version says of the contract has to be what
// the contract was created with (upstream's rules for upgrades, "Dynamic upgrading"). Built-in templates have one
// version.

// versionKey is a contract as one of the template in a package.
type versionKey struct {
	contract  ContractID
	packageID lf.PackageID
}

// asExpected is a contract as one of the template that the caller names, or of the version that the name of its package
// stands for, which has to implement the interface.
func (tx *Tx) asExpected(found instance, expected, through *lf.TypeName) (instance, error) {
	if through == nil {
		if found.template.name == *expected {
			return found, nil
		}
		wanted := tx.env.Packages.templates[*expected]
		if wanted == nil || wanted.packageName != found.template.packageName ||
			wanted.name.QualifiedName() != found.template.name.QualifiedName() {
			return instance{}, wronglyTyped(found.contract.ID, *expected, found.template.name)
		}
		return tx.as(found, wanted)
	}
	wanted := tx.env.Packages.version(found.template, tx.preferred)
	if wanted.interfaces[*through] == nil {
		return instance{}, notImplemented(found.contract.ID, wanted.name, *through)
	}
	return tx.as(found, wanted)
}

// version is the version of a template in the package that its package's name stands for; itself where that has none.
func (p *Packages) version(t *template, preferred map[string]lf.PackageID) *template {
	if !t.interpreted {
		return t
	}
	name := t.name
	name.Package = p.byName[t.packageName]
	if id, ok := preferred[t.packageName]; ok {
		name.Package = id
	}
	if newer := p.templates[name]; newer != nil {
		return newer
	}
	return t
}

// preferences are the packages that are preferred, by their names.
func (p *Packages) preferences(preference []lf.PackageID) map[string]lf.PackageID {
	out := map[string]lf.PackageID{}
	for _, id := range p.Preferred(preference) {
		out[p.names[p.byID[id]]] = p.byID[id]
	}
	return out
}

// as is a contract as one of a version of its template.
func (tx *Tx) as(found instance, t *template) (instance, error) {
	if found.template == t {
		return found, nil
	}
	key := versionKey{found.contract.ID, t.name.Package}
	if known, ok := tx.versions[key]; ok {
		return known, nil
	}
	stored, err := found.template.payload.toValue(found.payload)
	if err != nil {
		return instance{}, err
	}
	payload, err := t.payload.accept(stored)
	if err != nil {
		return instance{}, untranslated(found, t.name, stored, err)
	}
	running := tx.budget.Running
	tx.budget.Running = 0 // what another version throws cannot be caught
	said, err := t.describe(tx, payload)
	tx.budget.Running = running
	if err != nil {
		return instance{}, err
	}
	var contractKey *ContractKey
	if said.key != nil {
		if contractKey, err = tx.contractKey(t, said.key); err != nil {
			return instance{}, err
		}
	}
	says := Contract{
		Template: t.name, PackageName: t.packageName, Signatories: said.signatories, Observers: said.observers,
		Key: contractKey,
	}
	if refusal := CheckUpgraded(found.contract, says); refusal != nil {
		return instance{}, refusal
	}
	out := instance{contract: found.contract, template: t, payload: payload}
	tx.versions[key] = out
	return out, nil
}

func untranslated(found instance, to lf.TypeName, stored lf.Value, err error) error {
	of := found.template.name
	return fault.InterpretationUpgradeErrorTranslationFailed.New("Interpretation error: Error: "+
		"Translation of contract %s to a value of type %s fails. Reason: %s. The contract is purportedly an instance of %s",
		found.contract.ID, to, err, of).
		WithResource("NULLABLE_CONTRACT_ID", string(found.contract.ID)).
		WithResource("TEMPLATE_ID", of.String()).
		WithResource("TEMPLATE_ID", to.String()).
		WithResource("CONTRACT_ARG", string(lf.EncodeJSON(found.template.payload.lfType, stored)))
}

// CheckUpgraded refuses to use a contract as one of another version of its template unless that says of the contract
// what it was created with.
func CheckUpgraded(was, says Contract) *fault.Fault {
	same := slices.Equal(was.Signatories, says.Signatories) && slices.Equal(was.Observers, says.Observers) &&
		sameKey(was.Key, says.Key) && was.PackageName == says.PackageName
	if same {
		return nil
	}
	const rule = "Verify that neither the signatories, nor the observers, nor the contract key, nor the key's " +
		"maintainers, nor the package name have changed"
	text := fmt.Sprintf("Validation fails when trying to upgrade the contract %s from %s to %s. %s: "+
		"original package name is %s, original signatories are %s, original observers are %s%s; "+
		"target package name is %s, recomputed signatories are %s, recomputed observers are %s%s",
		was.ID, was.Template, says.Template, rule, was.PackageName, ListParties(was.Signatories), ListParties(was.Observers),
		shownKey("original", was.Key), says.PackageName, ListParties(says.Signatories), ListParties(says.Observers),
		shownKey("recomputed", says.Key))
	refusal := fault.InterpretationUpgradeErrorValidationFailed.New("Interpretation error: Error: %s", text).
		WithResource("CONTRACT_ID", string(was.ID)).
		WithResource("TEMPLATE_ID", was.Template.String()).
		WithResource("TEMPLATE_ID", says.Template.String()).
		WithResource("PACKAGE_NAME", was.PackageName).
		WithResource("PACKAGE_NAME", says.PackageName)
	refusal.Resources = append(refusal.Resources, slices.Concat(metadataOf(was), metadataOf(says))...)
	return refusal
}

// metadataOf is what a contract says of itself, as resources of a fault.
func metadataOf(c Contract) []fault.Resource {
	joined := func(parties []Party) string { return strings.Join(Strings(parties), ",") }
	value, of, maintainers := "NULL", "NULL", "NULL"
	if c.Key != nil {
		value, of, maintainers = string(c.Key.Value), c.PackageName, joined(c.Key.Maintainers)
	}
	return []fault.Resource{
		{Type: "PARTIES", Value: joined(c.Signatories)},
		{Type: "PARTIES", Value: joined(c.Observers)},
		{Type: "NULLABLE_CONTRACT_KEY", Value: value},
		{Type: "NULLABLE_PACKAGE_NAME", Value: of},
		{Type: "NULLABLE_PARTIES", Value: maintainers},
	}
}

// sameKey reports whether two keys are one. Their hashes are those of their packages' name and their values.
func sameKey(a, b *ContractKey) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Hash == b.Hash && slices.Equal(a.Maintainers, b.Maintainers)
}

func shownKey(which string, key *ContractKey) string {
	if key == nil {
		return ""
	}
	return fmt.Sprintf(", %s maintainers are %s, %s key is %s", which, ListParties(key.Maintainers), which,
		fault.Shorten(string(key.Value)))
}

// maxListed bounds how many parties a message lists.
const maxListed = 50

// ListParties lists parties for a message, the first of them where they are many.
func ListParties(parties []Party) string {
	out := strings.Join(Strings(parties[:min(len(parties), maxListed)]), ",")
	if more := len(parties) - maxListed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// Versions are the packages that the package part of an identifier stands for when contracts are read: for a name all
// versions, vetted or not, the one first that commands mean; for an id one. There are none for what is unknown.
func (p *Packages) Versions(ref lf.PackageID) ([]lf.PackageID, *fault.Fault) {
	name, isName := strings.CutPrefix(string(ref), "#")
	id, known, refusal := p.ResolvePackage(ref, nil)
	if !isName || refusal != nil && !fault.JSONAPIPackageSelectionFailed.Matches(refusal) {
		if refusal != nil || !known {
			return nil, refusal
		}
		return []lf.PackageID{id}, nil
	}
	var versions []lf.PackageID
	if known {
		versions = append(versions, id)
	}
	for _, pkg := range p.list {
		if pkg.ID != id && (pkg.Name == name || slices.Contains(pkg.OtherNames, name)) {
			versions = append(versions, pkg.ID)
		}
	}
	return versions, nil
}
