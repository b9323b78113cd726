package topology

import (
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// Missing lists the owners, keys and hosts that must still agree before a party is onboarded.
type Missing struct {
	// Namespaces are those whose owners have not signed enough.
	Namespaces []string `json:"namespaces,omitempty"`
	// Keys are the fingerprints of listed keys that have not signed.
	Keys []string `json:"keys,omitempty"`
	// Participants are the hosts that have not agreed.
	Participants []string `json:"participants,omitempty"`
}

// IsEmpty reports whether everyone has agreed.
func (m Missing) IsEmpty() bool { return len(m.Namespaces)+len(m.Keys)+len(m.Participants) == 0 }

// Describe lists the remaining steps in words, one for each missing agreement.
func (m Missing) Describe() []string {
	out := []string{}
	for _, namespace := range m.Namespaces {
		out = append(out, "the owners of namespace "+namespace+" sign the PartyToParticipant")
	}
	for _, key := range m.Keys {
		out = append(out, "signing key "+key+" signs the PartyToParticipant, to prove that somebody holds it")
	}
	for _, participant := range m.Participants {
		out = append(out, "participant "+participant+" agrees to host the party")
	}
	return out
}

func (m Missing) hostNamespaces() []string {
	out := make([]string, len(m.Participants))
	for i, participant := range m.Participants {
		out[i] = namespaceOf(participant)
	}
	return out
}

// Authorize checks every signature and returns the missing agreements. It refuses signatures that do not verify or come
// from unrelated keys, namespaces that do not derive from their owners, thresholds above the number of hosts,
// onboardings that the party's namespace has not authorized, and incomplete requests that must be complete
// ([Onboarding.Allocates]). If it passes, the owner of the party wants it, so it may wait for other keys and hosts, and
// the node may agree to it. Missing never contains this node, which agrees with [Onboarding.Cosign]. The error is a
// *fault.Fault.
func (o Onboarding) Authorize(node Node) (Missing, error) {
	missing, err := o.missing()
	if err != nil {
		return Missing{}, err
	}
	missing.Participants = slices.DeleteFunc(missing.Participants, func(participant string) bool {
		return participant == node.ParticipantID
	})
	if len(missing.Namespaces) > 0 {
		return Missing{}, o.unsigned(missing)
	}
	if o.Allocates() && !missing.IsEmpty() {
		return Missing{}, unauthorized(o.Hosting, missing)
	}
	return missing, nil
}

// missing checks all signatures and returns the missing agreements, including this node's.
func (o Onboarding) missing() (Missing, error) {
	if err := o.checkDelegations(); err != nil {
		return Missing{}, err
	}
	if err := o.checkDecentralized(); err != nil {
		return Missing{}, err
	}
	if o.PartyToKey != nil {
		keys, _ := o.Keys()
		missing, err := o.partyAuthorization(*o.PartyToKey, keys)
		if err != nil {
			return Missing{}, err
		}
		if !missing.IsEmpty() {
			return Missing{}, unauthorized(*o.PartyToKey, missing)
		}
	}
	mapping := o.hosting()
	if confirming := len(mapping.hosts(Confirmation)); mapping.Threshold > confirming {
		return Missing{}, fault.InvalidArgumentf("The confirmation threshold %d of party %s cannot be reached by its %d "+
			"confirming participants", mapping.Threshold, short(string(mapping.Party)), confirming)
	}
	missing, err := o.partyAuthorization(o.Hosting, mapping.Keys)
	if err != nil {
		return Missing{}, err
	}
	for _, host := range mapping.Hosts {
		if !o.Hosting.signedBy(namespaceOf(host.Participant)) {
			missing.Participants = append(missing.Participants, host.Participant)
		}
	}
	return missing, nil
}

// checkDelegations checks that each root has the signature of its own key, and that the key may sign it.
func (o Onboarding) checkDelegations() error {
	for _, signed := range slices.Concat(o.Delegations, o.HostDelegations) {
		target := signed.Transaction.Mapping.(NamespaceDelegation).Target
		if !target.MayBeUsedFor(signing.UsageNamespace) {
			return noUsableKey("key " + target.Public.Fingerprint() + " has no namespace usage")
		}
		for _, signature := range signed.Signatures {
			if err := o.checks.verify(target.Public, signature.Over, signature.Signature); err != nil {
				return badSignature(signed, signature, err)
			}
		}
	}
	return nil
}

// checkDecentralized checks that a decentralized namespace derives from its owners, and that all of them signed: a
// first definition needs all, whatever the threshold.
func (o Onboarding) checkDecentralized() error {
	if o.Decentralized == nil {
		return nil
	}
	mapping := o.Decentralized.Transaction.Mapping.(DecentralizedNamespace)
	if want := signing.DecentralizedNamespace(mapping.Owners...); mapping.Namespace != want {
		return badMapping("The decentralized namespace %s is not derived from its owners: it would be %s",
			mapping.Namespace, want)
	}
	roots := o.roots()
	for _, owner := range mapping.Owners {
		if _, ok := roots[owner]; !ok {
			return badMapping("No root namespace delegation found for owner %s of the decentralized namespace %s",
				owner, mapping.Namespace)
		}
	}
	for owner := range roots {
		if !slices.Contains(mapping.Owners, owner) {
			return badMapping("Namespace %s is not among the owners of the decentralized namespace %s",
				owner, mapping.Namespace)
		}
	}
	if err := o.verify(*o.Decentralized, roots); err != nil {
		return err
	}
	var missing Missing
	for _, owner := range mapping.Owners {
		if !o.Decentralized.signedBy(owner) {
			missing.Namespaces = append(missing.Namespaces, owner)
		}
	}
	if !missing.IsEmpty() {
		return unauthorized(*o.Decentralized, missing)
	}
	return nil
}

func (o Onboarding) roots() map[string]signing.PublicKey {
	out := map[string]signing.PublicKey{}
	for _, signed := range o.Delegations {
		delegation := signed.Transaction.Mapping.(NamespaceDelegation)
		out[delegation.Namespace] = delegation.Target.Public
	}
	return out
}

// hostKeys are the known keys of hosts by namespace.
func (o Onboarding) hostKeys() map[string]signing.PublicKey {
	out := map[string]signing.PublicKey{}
	for _, key := range o.HostKeys {
		out[key.Fingerprint()] = key
	}
	for _, signed := range o.HostDelegations {
		key := signed.Transaction.Mapping.(NamespaceDelegation).Target.Public
		out[key.Fingerprint()] = key
	}
	return out
}

// partyAuthorization checks the signatures of a transaction that lists keys of the party, and returns the missing
// namespace and keys.
func (o Onboarding) partyAuthorization(signed SignedTransaction, listed []signing.Key) (Missing, error) {
	known := o.roots()
	for _, key := range listed {
		known[key.Public.Fingerprint()] = key.Public
	}
	maps.Copy(known, o.hostKeys())
	if err := o.verify(signed, known); err != nil {
		return Missing{}, err
	}
	var missing Missing
	if !o.namespaceSigned(signed, listed) {
		missing.Namespaces = append(missing.Namespaces, namespaceOf(string(o.Party())))
	}
	for _, key := range listed {
		if !signed.signedBy(key.Public.Fingerprint()) {
			missing.Keys = append(missing.Keys, key.Public.Fingerprint())
		}
	}
	return missing, nil
}

// namespaceSigned reports whether the party's namespace agrees: enough owners if it is decentralized, otherwise its
// key, from its root or from the listed keys with namespace usage.
func (o Onboarding) namespaceSigned(signed SignedTransaction, listed []signing.Key) bool {
	if o.Decentralized != nil {
		_, further := o.silentOwners(signed)
		return further <= 0
	}
	namespace := namespaceOf(string(o.Party()))
	if !signed.signedBy(namespace) {
		return false
	}
	_, isRoot := o.roots()[namespace]
	return isRoot || slices.ContainsFunc(listed, func(key signing.Key) bool {
		return key.Public.Fingerprint() == namespace && key.MayBeUsedFor(signing.UsageNamespace)
	})
}

// silentOwners are the owners of a decentralized namespace that have not signed, and the number of them that must still
// sign.
func (o Onboarding) silentOwners(signed SignedTransaction) (silent []string, further int) {
	mapping := o.Decentralized.Transaction.Mapping.(DecentralizedNamespace)
	for _, owner := range mapping.Owners {
		if !signed.signedBy(owner) {
			silent = append(silent, owner)
		}
	}
	return silent, mapping.Threshold - (len(mapping.Owners) - len(silent))
}

// verify checks the signatures of a transaction with the known keys. Signatures over several transactions may come from
// keys of another one.
func (o Onboarding) verify(signed SignedTransaction, known map[string]signing.PublicKey) error {
	var strangers []string
	for _, signature := range signed.Signatures {
		key, ok := known[signature.SignedBy]
		switch {
		case ok:
			if err := o.checks.verify(key, signature.Over, signature.Signature); err != nil {
				return badSignature(signed, signature, err)
			}
		case !signature.Shared || !o.hasSayAnywhere(signature.SignedBy):
			strangers = append(strangers, signature.SignedBy)
		}
	}
	if len(strangers) > 0 {
		return unknownSigners(signed, strangers)
	}
	return nil
}

func (o Onboarding) hasSayAnywhere(fingerprint string) bool {
	if _, ok := o.roots()[fingerprint]; ok {
		return true
	}
	if _, ok := o.hostKeys()[fingerprint]; ok {
		return true
	}
	keys, _ := o.Keys()
	return slices.ContainsFunc(keys, func(key signing.Key) bool { return key.Public.Fingerprint() == fingerprint })
}
