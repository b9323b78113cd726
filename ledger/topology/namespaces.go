package topology

import (
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger/fault"
)

// Namespaces are what shows who holds a namespace, by namespace: the signed root of one that a key holds, the signed
// definition of one that several hold together. Those that the node keeps were authorized by all holders, and hold for
// later requests as well: they neither end nor change.
type Namespaces map[string]Signed

// and adds further ones; those that are there already stay.
func (n Namespaces) and(further Namespaces) Namespaces {
	out := maps.Clone(further)
	if out == nil {
		return n
	}
	maps.Copy(out, n)
	return out
}

// Owners lists the owners of the definitions, in order and once.
func (n Namespaces) Owners() []string {
	var owners []string
	for _, signed := range n {
		if definition, ok := signed.Transaction.Mapping.(DecentralizedNamespace); ok {
			owners = append(owners, definition.Owners...)
		}
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}

// root is the signed root of a namespace; false when it is not among these.
func (n Namespaces) root(namespace string) (Signed, bool) {
	signed := n[namespace]
	delegation, ok := signed.Transaction.Mapping.(NamespaceDelegation)
	return signed, ok && delegation.IsRoot() && delegation.Namespace == namespace
}

// definition is the signed definition of a namespace of several owners; nil when it is not among these.
func (n Namespaces) definition(namespace string) *Signed {
	signed := n[namespace]
	definition, ok := signed.Transaction.Mapping.(DecentralizedNamespace)
	if !ok || definition.Namespace != namespace {
		return nil
	}
	return &signed
}

// addRoots adds the roots of the namespaces that a request does not have itself.
func (n Namespaces) addRoots(given []Signed, namespaces []string) []Signed {
	there := map[string]bool{}
	for _, signed := range given {
		there[signed.Transaction.Mapping.(NamespaceDelegation).Namespace] = true
	}
	out := slices.Clone(given)
	for _, namespace := range namespaces {
		if root, ok := n.root(namespace); ok && !there[namespace] {
			out = append(out, root)
		}
	}
	return out
}

// Concerned lists the namespaces that the onboarding has to do with, in order and once: that of the party, those of the
// owners, and those of the hosts.
func (o Onboarding) Concerned() []string {
	out := slices.Concat([]string{namespaceOf(string(o.Party()))}, o.holders(), o.hostNamespaces())
	slices.Sort(out)
	return slices.Compact(out)
}

// holders are the namespaces whose keys hold that of the party.
func (o Onboarding) holders() []string {
	if o.Decentralized == nil {
		return []string{namespaceOf(string(o.Party()))}
	}
	return o.Decentralized.Transaction.Mapping.(DecentralizedNamespace).Owners
}

func (o Onboarding) hostNamespaces() []string {
	out := make([]string, len(o.Hosts()))
	for i, host := range o.Hosts() {
		out[i] = namespaceOf(host.Participant)
	}
	return out
}

// With completes the onboarding with what is known of the namespaces that it has to do with. All that was given is
// still to be verified. The error refuses another threshold for a namespace of several owners than the known one; the
// onboarding then has what was given, so that only those who may define the namespace learn of it.
func (o Onboarding) With(known Namespaces) (Onboarding, error) {
	var conflict error
	if kept := known.definition(namespaceOf(string(o.Party()))); kept != nil {
		o.Decentralized, conflict = kept.signedFurther(o.Decentralized)
	}
	o.Delegations = known.addRoots(o.Delegations, o.holders())
	hosts := slices.DeleteFunc(o.hostNamespaces(), func(namespace string) bool {
		return slices.Contains(o.holders(), namespace)
	})
	o.HostDelegations = known.addRoots(o.HostDelegations, hosts)
	return o, conflict
}

// signedFurther is a kept definition with all signatures of one that a request has, and of its own those by other keys.
// One that names other owners is returned as it is: it cannot be that of the namespace.
func (s *Signed) signedFurther(given *Signed) (*Signed, error) {
	out := Signed{Transaction: s.Transaction}
	if given != nil {
		kept, wanted := s.Transaction.Mapping.(DecentralizedNamespace), given.Transaction.Mapping.(DecentralizedNamespace)
		switch {
		case !sameOwners(kept, wanted):
			return given, nil
		case kept.Threshold != wanted.Threshold:
			return given, fault.TopologySerialMismatch.New("The decentralized namespace %s is defined already: its threshold "+
				"is %d, and a DecentralizedNamespaceDefinition with serial 1 and threshold %d cannot change it",
				kept.Namespace, kept.Threshold, wanted.Threshold).
				WithHint("Remove the DecentralizedNamespaceDefinition, or send the one that all owners signed first.")
		}
		out.Signatures = slices.Clone(given.Signatures)
	}
	for _, signature := range s.Signatures {
		out.add(signature)
	}
	return &out, nil
}

func sameOwners(one, other DecentralizedNamespace) bool {
	return slices.Equal(slices.Sorted(slices.Values(one.Owners)), slices.Sorted(slices.Values(other.Owners)))
}

// Namespaces are those whose holders the onboarding shows: what is kept of it once it is authorized, with the
// signatures of the holders alone.
func (o Onboarding) Namespaces() Namespaces {
	out := Namespaces{}
	for _, signed := range slices.Concat(o.Delegations, o.HostDelegations) {
		out[signed.Transaction.Mapping.(NamespaceDelegation).Namespace] = signed
	}
	if o.Decentralized == nil {
		return out
	}
	kept := Signed{Transaction: o.Decentralized.Transaction}
	for _, signature := range o.Decentralized.Signatures {
		if slices.Contains(o.holders(), signature.SignedBy) {
			kept.add(signature)
		}
	}
	out[namespaceOf(string(o.Party()))] = kept
	return out
}
