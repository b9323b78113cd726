package topology

import (
	"fmt"
	"slices"

	"github.com/florinledger/florin/ledger/signing"
)

// HostAuthorization is a participant's agreement to host a party: its signature over the transaction that says so.
type HostAuthorization struct {
	Participant string `json:"participant"`
	// Key is the key that the participant's namespace is named after.
	Key       signing.PublicKey `json:"key"`
	Signature signing.Signature `json:"signature"`
}

// Cosign agrees, with the node's own key, that the node hosts the party. It refuses everything that
// [Onboarding.Authorize] refuses, so the node signs only transactions that it understands.
func (o Onboarding) Cosign(node Node, key signing.PrivateKey) (HostAuthorization, error) {
	if _, err := o.Authorize(node); err != nil {
		return HostAuthorization{}, err
	}
	if own := namespaceOf(node.ParticipantID); key.Public().Fingerprint() != own {
		return HostAuthorization{}, fmt.Errorf("the key %s is not the key of participant %s",
			key.Public().Fingerprint(), node.ParticipantID)
	}
	signature, err := key.Sign(o.Hosting.Transaction.Hash[:])
	return HostAuthorization{Participant: node.ParticipantID, Key: key.Public(), Signature: signature}, err
}

// WithHost adds a participant's agreement. It refuses participants that do not host the party, keys of others, and
// signatures over other content.
func (o Onboarding) WithHost(a HostAuthorization) (Onboarding, error) {
	isHost := slices.ContainsFunc(o.Hosts(), func(host Host) bool { return host.Participant == a.Participant })
	if !isHost {
		return o, badMapping("Participant %s is not among the hosts of party %s", a.Participant, short(string(o.Party())))
	}
	if a.Key.Fingerprint() != namespaceOf(a.Participant) {
		return o, noUsableKey(fmt.Sprintf("key %s is not that of participant %s", a.Key.Fingerprint(), a.Participant))
	}
	hash := o.Hosting.Transaction.Hash
	if err := o.checks.verify(a.Key, hash, a.Signature); err != nil {
		return o, badSignature(o.Hosting, AttachedSignature{Signature: a.Signature, Over: hash}, err)
	}
	if o.Hosting.signedBy(a.Key.Fingerprint()) {
		return o, nil
	}
	o.Hosting.Signatures = append(slices.Clone(o.Hosting.Signatures),
		AttachedSignature{Signature: a.Signature, Over: hash})
	o.HostKeys = append(slices.Clone(o.HostKeys), a.Key)
	return o, nil
}

// Merge adds the signatures of a further request for the same party: other owners and keys may sign one after the
// other. Both requests must have the same hosting transaction, byte for byte.
func (o Onboarding) Merge(further Onboarding) (Onboarding, error) {
	if o.Hosting.Transaction.Hash != further.Hosting.Transaction.Hash {
		return o, badMapping("Another proposal for party %s is pending, with other hosts, keys or thresholds (hash %s)",
			short(string(o.Party())), o.Hosting.Transaction.Hash)
	}
	out := o
	out.Hosting.Signatures = slices.Clone(o.Hosting.Signatures)
	for _, signature := range further.Hosting.Signatures {
		out.Hosting.add(signature)
	}
	out.Delegations = mergeSigned(o.Delegations, further.Delegations)
	out.HostDelegations = mergeSigned(o.HostDelegations, further.HostDelegations)
	if out.Decentralized == nil {
		out.Decentralized = further.Decentralized
	}
	if out.PartyToKey == nil {
		out.PartyToKey = further.PartyToKey
	}
	for _, key := range further.HostKeys {
		if !slices.ContainsFunc(out.HostKeys, key.Equal) {
			out.HostKeys = append(slices.Clone(out.HostKeys), key)
		}
	}
	return out, nil
}

func mergeSigned(have, further []SignedTransaction) []SignedTransaction {
	out := slices.Clone(have)
	for _, signed := range further {
		known := slices.ContainsFunc(out, func(known SignedTransaction) bool {
			return known.Transaction.Hash == signed.Transaction.Hash
		})
		if !known {
			out = append(out, signed)
		}
	}
	return out
}

// Missing lists those who must still agree, including this node.
func (o Onboarding) Missing() (Missing, error) { return o.missing() }
