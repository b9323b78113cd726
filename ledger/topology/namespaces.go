package topology

import (
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger/fault"
)

// Namespaces are the proofs of control by namespace: the signed root of a key's namespace, the signed definition of a
// decentralized one. All owners authorized those that the node keeps. They count for later requests too, because they
// neither end nor change.
type Namespaces map[string]SignedTransaction

// and adds others; existing ones stay.
func (n Namespaces) and(further Namespaces) Namespaces {
	out := maps.Clone(further)
	if out == nil {
		return n
	}
	maps.Copy(out, n)
	return out
}

// Owners lists the distinct owners of the definitions, sorted.
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

// root is the signed root of a namespace; false if there is none.
func (n Namespaces) root(namespace string) (SignedTransaction, bool) {
	signed := n[namespace]
	delegation, ok := signed.Transaction.Mapping.(NamespaceDelegation)
	return signed, ok && delegation.IsRoot() && delegation.Namespace == namespace
}

// definition is the signed definition of a decentralized namespace; nil if there is none.
func (n Namespaces) definition(namespace string) *SignedTransaction {
	signed := n[namespace]
	definition, ok := signed.Transaction.Mapping.(DecentralizedNamespace)
	if !ok || definition.Namespace != namespace {
		return nil
	}
	return &signed
}

// addRoots adds the known roots of the namespaces that a request does not have itself.
func (n Namespaces) addRoots(given []SignedTransaction, namespaces []string) []SignedTransaction {
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

// Concerned lists the distinct namespaces of the party, the owners and the hosts, sorted.
func (o Onboarding) Concerned() []string {
	out := slices.Concat([]string{namespaceOf(string(o.Party()))}, o.holders(), o.hostNamespaces())
	slices.Sort(out)
	return slices.Compact(out)
}

// holders are the namespaces whose keys control the party's namespace.
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

// With completes the onboarding with the known namespaces. It verifies nothing. The error refuses another threshold for
// a decentralized namespace than the known one; the onboarding then keeps the given definition, so that only those who
// may define the namespace learn of the conflict.
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

// signedFurther is a kept definition with the signatures of a request's definition, and its own signatures by other
// keys. It returns a definition with other owners unchanged, because it cannot define this namespace.
func (s *SignedTransaction) signedFurther(given *SignedTransaction) (*SignedTransaction, error) {
	out := SignedTransaction{Transaction: s.Transaction}
	if given != nil {
		kept, requested := s.Transaction.Mapping.(DecentralizedNamespace), given.Transaction.Mapping.(DecentralizedNamespace)
		switch {
		case !sameOwners(kept, requested):
			return given, nil
		case kept.Threshold != requested.Threshold:
			return given, fault.TopologySerialMismatch.New("The decentralized namespace %s is defined already: its threshold "+
				"is %d, and a DecentralizedNamespaceDefinition with serial 1 and threshold %d cannot change it",
				kept.Namespace, kept.Threshold, requested.Threshold).
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

// Namespaces are the proofs of control in the onboarding, with only the signatures of the holders. The node keeps them
// after the authorization.
func (o Onboarding) Namespaces() Namespaces {
	out := Namespaces{}
	for _, signed := range slices.Concat(o.Delegations, o.HostDelegations) {
		out[signed.Transaction.Mapping.(NamespaceDelegation).Namespace] = signed
	}
	if o.Decentralized == nil {
		return out
	}
	kept := SignedTransaction{Transaction: o.Decentralized.Transaction}
	for _, signature := range o.Decentralized.Signatures {
		if slices.Contains(o.holders(), signature.SignedBy) {
			kept.add(signature)
		}
	}
	out[namespaceOf(string(o.Party()))] = kept
	return out
}
