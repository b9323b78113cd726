package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// A transaction may use a contract in another version of its template: a template of the same name, in a package of the
// same name. The payload is then converted to that version's type, and that version must compute the same parties and
// key as at the creation (upstream's rules for upgrades, "Dynamic upgrading"). Built-in templates have one version.

// versionKey is a contract in the template's version of a package.
type versionKey struct {
	contract  ContractID
	packageID lf.PackageID
}

// asExpected is a contract in the version that the caller names. Through an interface, it is the version that the
// package name means, which must implement the interface.
func (tx *Tx) asExpected(found instance, expected, through *lf.TypeName) (instance, error) {
	if through == nil {
		if found.template.name == *expected {
			return found, nil
		}
		target := tx.env.Packages.templates[*expected]
		if target == nil || target.packageName != found.template.packageName ||
			target.name.QualifiedName() != found.template.name.QualifiedName() {
			return instance{}, wronglyTyped(found.contract.ID, *expected, found.template.name)
		}
		return tx.as(found, target)
	}
	target := tx.env.Packages.version(found.template, tx.preferred)
	if target.interfaces[*through] == nil {
		return instance{}, notImplemented(found.contract.ID, target.name, *through)
	}
	return tx.as(found, target)
}

// version is the version of a template that the name of its package means, or the template itself if there is none.
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

// preferences are the preferred packages by name.
func (p *Packages) preferences(preference []lf.PackageID) map[string]lf.PackageID {
	out := map[string]lf.PackageID{}
	for _, id := range p.Preferred(preference) {
		out[p.names[p.byID[id]]] = p.byID[id]
	}
	return out
}

// as converts a contract to another version of its template.
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
	tx.budget.Running = 0 // exceptions of another version cannot be caught
	described, err := t.describe(tx, payload)
	tx.budget.Running = running
	if err != nil {
		return instance{}, err
	}
	var contractKey *ContractKey
	if described.key != nil {
		if contractKey, err = tx.contractKey(t, described.key); err != nil {
			return instance{}, err
		}
	}
	upgraded := Contract{
		Template: t.name, PackageName: t.packageName, Signatories: described.signatories, Observers: described.observers,
		Key: contractKey,
	}
	if refusal := CheckUpgraded(found.contract, upgraded); refusal != nil {
		return instance{}, refusal
	}
	out := instance{contract: found.contract, template: t, payload: payload}
	tx.versions[key] = out
	return out, nil
}

// CheckVersion returns the error that an exercise of a contract in another version of its template gets before it runs:
// the payload must fit that version's type, and that version must compute the same parties and key. The error is a
// refusal, or that of the budget's context.
func (p *Packages) CheckVersion(budget *Budget, c Contract, version lf.TypeName) error {
	stored, target := p.templates[c.Template], p.templates[version]
	if stored == nil || target == nil {
		return fault.IdentifiersNotFound([]string{c.Template.String(), version.String()}, nil)
	}
	payload, err := stored.decodePayload(c)
	if err == nil {
		tx := newTx(Submission{}, Environment{Packages: p, Budget: budget})
		_, err = tx.as(instance{c, stored, payload}, target)
	}
	switch ended := budget.Ended(); {
	case ended != nil:
		return ended
	case err != nil:
		return refusalOrStoreFailure(err)
	default:
		return nil
	}
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

// CheckUpgraded refuses a contract in another version of its template unless that version computes the same parties,
// key and package name.
func CheckUpgraded(was, upgraded Contract) *fault.Fault {
	same := slices.Equal(was.Signatories, upgraded.Signatories) && slices.Equal(was.Observers, upgraded.Observers) &&
		sameKey(was.Key, upgraded.Key) && was.PackageName == upgraded.PackageName
	if same {
		return nil
	}
	const rule = "Verify that neither the signatories, nor the observers, nor the contract key, nor the key's " +
		"maintainers, nor the package name have changed"
	text := fmt.Sprintf("Validation fails when trying to upgrade the contract %s from %s to %s. %s: "+
		"original package name is %s, original signatories are %s, original observers are %s%s; "+
		"target package name is %s, recomputed signatories are %s, recomputed observers are %s%s",
		was.ID, was.Template, upgraded.Template, rule, was.PackageName, ListParties(was.Signatories),
		ListParties(was.Observers), keyText("original", was.Key), upgraded.PackageName, ListParties(upgraded.Signatories),
		ListParties(upgraded.Observers),
		keyText("recomputed", upgraded.Key))
	refusal := fault.InterpretationUpgradeErrorValidationFailed.New("Interpretation error: Error: %s", text).
		WithResource("CONTRACT_ID", string(was.ID)).
		WithResource("TEMPLATE_ID", was.Template.String()).
		WithResource("TEMPLATE_ID", upgraded.Template.String()).
		WithResource("PACKAGE_NAME", was.PackageName).
		WithResource("PACKAGE_NAME", upgraded.PackageName)
	refusal.Resources = append(refusal.Resources, slices.Concat(metadataOf(was), metadataOf(upgraded))...)
	return refusal
}

// metadataOf is the parties and the key of a contract as resources of a fault.
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

// sameKey reports whether two keys are equal. Their hashes contain the package name and the value.
func sameKey(a, b *ContractKey) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Hash == b.Hash && slices.Equal(a.Maintainers, b.Maintainers)
}

func keyText(which string, key *ContractKey) string {
	if key == nil {
		return ""
	}
	return fmt.Sprintf(", %s maintainers are %s, %s key is %s", which, ListParties(key.Maintainers), which,
		fault.Shorten(string(key.Value)))
}

// maxListed bounds how many parties a message lists.
const maxListed = 50

// ListParties lists parties for a message, at most maxListed of them.
func ListParties(parties []Party) string {
	out := strings.Join(Strings(parties[:min(len(parties), maxListed)]), ",")
	if more := len(parties) - maxListed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// Versions are the packages that readers mean by the package part of an identifier: for a name all versions, vetted or
// not, and first the one that commands mean; for an id one package; for unknown names and ids none.
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
