package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// Onboarding is the transactions for a new external party, with the signatures so far. It keeps all received bytes and
// survives JSON.
type Onboarding struct {
	// Delegations are the signed roots of the party's namespace, or of the owners of its namespace.
	Delegations []SignedTransaction `json:"namespaceDelegations,omitempty"`
	// Decentralized defines the party's namespace if several owners control it together.
	Decentralized *SignedTransaction `json:"decentralizedNamespace,omitempty"`
	// PartyToKey has the party's keys if Hosting has none, as older clients send it.
	PartyToKey *SignedTransaction `json:"partyToKey,omitempty"`
	// HostDelegations are the signed roots of the namespaces of other hosts. They contain the keys that these agree with.
	HostDelegations []SignedTransaction `json:"hostDelegations,omitempty"`
	// Hosting is the transaction by which participants host the party.
	Hosting SignedTransaction `json:"partyToParticipant"`
	// HostKeys are the keys of the participants that signed Hosting.
	HostKeys []signing.PublicKey `json:"hostKeys,omitempty"`

	// checks caches verified signatures; nil for no cache.
	checks *Checks
}

// Onboarding checks the request against the rules of a party's onboarding and this node, in the documented order; the
// refusals are INVALID_ARGUMENT. [Onboarding.Authorize] checks the signatures.
func (r Request) Onboarding(node Node) (Onboarding, *fault.Fault) {
	sorted := byKind(r.attach())
	if refusal := sorted.onlyKnownKinds(); refusal != nil {
		return Onboarding{}, refusal
	}
	hosting, refusal := sorted.onlyHosting()
	if refusal != nil {
		return Onboarding{}, refusal
	}
	out := Onboarding{Hosting: hosting}
	mapping := out.hosting()
	if refusal := checkHosting(mapping, node); refusal != nil {
		return Onboarding{}, refusal
	}
	if out.PartyToKey, refusal = sorted.onlyKeys(mapping); refusal != nil {
		return Onboarding{}, refusal
	}
	if out.Decentralized, refusal = only(sorted.decentralized); refusal != nil {
		return Onboarding{}, refusal
	}
	out.Delegations, out.HostDelegations = out.split(sorted.delegations)
	if refusal := out.checkNamespace(); refusal != nil {
		return Onboarding{}, refusal
	}
	return out, out.checkNothingOfOurs(node)
}

// split separates the roots of hosts from those of the party's namespace. Roots of other hosts are an addition to
// upstream's rules, where hosts know one another from the synchronizer.
func (o Onboarding) split(delegations []SignedTransaction) (ofParty, ofHosts []SignedTransaction) {
	var owners, hosts []string
	if o.Decentralized != nil {
		owners = o.Decentralized.Transaction.Mapping.(DecentralizedNamespace).Owners
	}
	for _, host := range o.Hosts() {
		hosts = append(hosts, namespaceOf(host.Participant))
	}
	for _, signed := range delegations {
		delegation := signed.Transaction.Mapping.(NamespaceDelegation)
		holds := delegation.Namespace == namespaceOf(string(o.Party())) || slices.Contains(owners, delegation.Namespace)
		if !holds && delegation.IsRoot() && slices.Contains(hosts, delegation.Namespace) {
			ofHosts = append(ofHosts, signed)
		} else {
			ofParty = append(ofParty, signed)
		}
	}
	return ofParty, ofHosts
}

// checkNothingOfOurs refuses parties in the node's own namespace, and parties that sign with the node's key: the node's
// signature would not only mean that it hosts them.
func (o Onboarding) checkNothingOfOurs(node Node) *fault.Fault {
	own := namespaceOf(node.ParticipantID)
	if namespaceOf(string(o.Party())) == own {
		return fault.InvalidArgumentf("Party %s is in the namespace of this participant (%s)", short(string(o.Party())), own).
			WithHint("An external party needs its own namespace. To allocate a party in this one, use POST /v2/parties.")
	}
	keys, _ := o.Keys()
	for _, key := range keys {
		if key.Public.Fingerprint() == own {
			return fault.InvalidArgumentf("Signing key %s is the key of this participant, which does not sign for "+
				"external parties", own).WithHint("List only keys that you hold.")
		}
	}
	return nil
}

// kinds are the transactions of a request by kind, without unsigned ones of other kinds than hosting.
type kinds struct {
	unsupported                              []string
	delegations, decentralized, hosting, key []SignedTransaction
	unsignedHosting                          []SignedTransaction
}

func byKind(transactions []SignedTransaction) kinds {
	var out kinds
	put := func(list *[]SignedTransaction, signed SignedTransaction) {
		if len(signed.Signatures) > 0 {
			*list = append(*list, signed)
		}
	}
	for _, signed := range transactions {
		switch mapping := signed.Transaction.Mapping.(type) {
		case NamespaceDelegation:
			put(&out.delegations, signed)
		case DecentralizedNamespace:
			put(&out.decentralized, signed)
		case PartyToKey:
			put(&out.key, signed)
		case PartyToParticipant:
			put(&out.hosting, signed)
			if len(signed.Signatures) == 0 {
				out.unsignedHosting = append(out.unsignedHosting, signed)
			}
		default:
			out.unsupported = append(out.unsupported, mapping.Kind())
		}
	}
	return out
}

func (k kinds) onlyKnownKinds() *fault.Fault {
	if len(k.unsupported) == 0 {
		return nil
	}
	return fault.InvalidArgumentf("Unsupported transactions found: %s. Supported transactions are: NamespaceDelegation, "+
		"DecentralizedNamespaceDefinition, PartyToParticipant, PartyToKeyMapping", strings.Join(k.unsupported, ", "))
}

// onlyHosting picks the only hosting transaction. An unsigned one counts if there is no other: it asks this node to
// agree, while others signed elsewhere.
func (k kinds) onlyHosting() (SignedTransaction, *fault.Fault) {
	candidates := k.hosting
	if len(candidates) == 0 {
		candidates = k.unsignedHosting
	}
	switch len(candidates) {
	case 1:
		return candidates[0], nil
	case 0:
		return SignedTransaction{}, fault.InvalidArgumentf(
			"One transaction of type PartyToParticipant must be provided, got 0").
			WithHint("Send all transactions of the answer of generate-topology.")
	default:
		return SignedTransaction{}, moreThanOne(candidates)
	}
}

func (k kinds) onlyKeys(hosting PartyToParticipant) (*SignedTransaction, *fault.Fault) {
	found, refusal := only(k.key)
	if refusal != nil {
		return nil, refusal
	}
	if found != nil {
		party := found.Transaction.Mapping.(PartyToKey).Party
		if ours, theirs := namespaceOf(string(party)), namespaceOf(string(hosting.Party)); ours != theirs {
			return nil, fault.InvalidArgumentf("The PartyToKeyMapping namespace (%s) does not match the "+
				"PartyToParticipant namespace (%s)", ours, theirs)
		}
		if party != hosting.Party {
			return nil, fault.InvalidArgumentf("The PartyToKeyMapping is for party %s, and the PartyToParticipant for %s",
				party, hosting.Party)
		}
	}
	if (found != nil) == (len(hosting.Keys) > 0) {
		return nil, fault.InvalidArgumentf("Party signing keys must be supplied either in the PartyToParticipant or in a " +
			"PartyToKeyMapping transaction. Not in both.").
			WithHint("Put the keys into the PartyToParticipant and remove the PartyToKeyMapping.")
	}
	if found != nil {
		return found, checkUsages(found.Transaction.Mapping.(PartyToKey).Keys, "")
	}
	return nil, nil
}

func only(signed []SignedTransaction) (*SignedTransaction, *fault.Fault) {
	switch len(signed) {
	case 0:
		return nil, nil
	case 1:
		return &signed[0], nil
	default:
		return nil, moreThanOne(signed)
	}
}

func moreThanOne(signed []SignedTransaction) *fault.Fault {
	return fault.InvalidArgumentf("Only one transaction of type %s can be provided, got %d",
		signed[0].Transaction.Mapping.Kind(), len(signed))
}

const maxHosts = 32

func checkHosting(mapping PartyToParticipant, node Node) *fault.Fault {
	if len(mapping.Hosts) > maxHosts {
		return fault.InvalidArgumentf("A party cannot have more than %d hosting participants, got %d",
			maxHosts, len(mapping.Hosts))
	}
	if submitting := mapping.hosts(Submission); len(submitting) > 0 {
		return fault.InvalidArgumentf("The PartyToParticipant transaction must not contain any node with Submission "+
			"permission. Nodes with submission permission: %s", strings.Join(submitting, ", ")).
			WithHint("Give hosts Confirmation or Observation permission: the party signs its own submissions.")
	}
	confirming, observing := mapping.hosts(Confirmation), mapping.hosts(Observation)
	if len(mapping.Hosts) == 1 {
		only := mapping.Hosts[0]
		if only.Participant != node.ParticipantID || only.Permission != Confirmation {
			return fault.InvalidArgumentf("The party is to be hosted on a single participant (%s) that is not this "+
				"participant (%s). Submit the allocation request on %s instead.",
				only.Participant, node.ParticipantID, only.Participant)
		}
	}
	if len(confirming) == 0 {
		return fault.InvalidArgumentf("The PartyToParticipant transaction must contain at least one node with " +
			"Confirmation permission")
	}
	if refusal := checkUsages(mapping.Keys, namespaceOf(string(mapping.Party))); refusal != nil {
		return refusal
	}
	if slices.Contains(confirming, node.ParticipantID) || slices.Contains(observing, node.ParticipantID) {
		return nil
	}
	return fault.InvalidArgumentf("This node is not hosting the party either with Confirmation or Observation " +
		"permission.").WithHint("This node is " + node.ParticipantID + ".")
}

func checkUsages(keys []signing.Key, namespace string) *fault.Fault {
	for _, key := range keys {
		if !key.MayBeUsedFor(signing.UsageProtocol) {
			return fault.InvalidArgumentf("Missing Protocol usage on signing keys").With("key", key.Public.Fingerprint())
		}
	}
	for _, key := range keys {
		if key.Public.Fingerprint() == namespace && !key.MayBeUsedFor(signing.UsageNamespace) {
			return fault.InvalidArgumentf("Missing Namespace and Protocol usage on the party namespace key").
				With("key", namespace)
		}
	}
	return nil
}

const maxOwners = 10

func (o Onboarding) checkNamespace() *fault.Fault {
	party := namespaceOf(string(o.hosting().Party))
	if o.Decentralized == nil && len(o.Delegations) > 1 {
		return moreThanOne(o.Delegations)
	}
	if len(o.Delegations) > maxOwners {
		return fault.InvalidArgumentf("Decentralized namespaces cannot have more than %d individual namespace owners, "+
			"got %d", maxOwners, len(o.Delegations))
	}
	for _, signed := range o.Delegations {
		if delegation := signed.Transaction.Mapping.(NamespaceDelegation); !delegation.IsRoot() {
			return fault.InvalidArgumentf("NamespaceDelegation is not a root namespace. Ensure the namespace and target "+
				"key are the same").With("namespace", delegation.Namespace)
		}
	}
	namespace := party
	switch {
	case o.Decentralized != nil:
		namespace = o.Decentralized.Transaction.Mapping.(DecentralizedNamespace).Namespace
	case len(o.Delegations) == 1:
		namespace = o.Delegations[0].Transaction.Mapping.(NamespaceDelegation).Namespace
	}
	if namespace != party {
		return fault.InvalidArgumentf("The Party namespace (%s) does not match the PartyToParticipant namespace (%s)",
			namespace, party)
	}
	return nil
}

func (o Onboarding) hosting() PartyToParticipant {
	mapping, _ := o.Hosting.Transaction.Mapping.(PartyToParticipant)
	return mapping
}

// Party is the new party.
func (o Onboarding) Party() ledger.Party { return o.hosting().Party }

// Hosts are the participants that will host the party.
func (o Onboarding) Hosts() []Host { return o.hosting().Hosts }

// Keys are the keys that sign for the party, and their threshold.
func (o Onboarding) Keys() (keys []signing.Key, threshold int) {
	if o.PartyToKey != nil {
		mapping, _ := o.PartyToKey.Transaction.Mapping.(PartyToKey)
		return mapping.Keys, mapping.Threshold
	}
	return o.hosting().Keys, o.hosting().KeyThreshold
}

// ConfirmationThreshold is the number of confirming participants that must agree to transactions of the party.
func (o Onboarding) ConfirmationThreshold() int { return o.hosting().Threshold }

// Allocates reports whether the request must be complete: the party's namespace signed it, and this node is the only
// host. Other requests may wait for the agreement of others.
func (o Onboarding) Allocates() bool {
	signed := len(o.Delegations) > 0 || o.Hosting.signedBy(namespaceOf(string(o.Party())))
	return signed && len(o.Hosts()) == 1
}

// AlreadyAllocated refuses a party that exists.
func AlreadyAllocated(party ledger.Party, synchronizerID string) *fault.Fault {
	return fault.InvalidArgumentf("Party %s already exists on synchronizer %s", short(string(party)), synchronizerID).
		WithHint(fmt.Sprintf("Use the existing party, or another party hint. Its full id is %s.", party))
}
