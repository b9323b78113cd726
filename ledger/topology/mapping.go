package topology

import (
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
)

// Mapping is what a topology transaction is about. The implementations in this file are all there are.
type Mapping interface {
	// Kind is the mapping's name, as error texts of the API have it.
	Kind() string
}

// NamespaceDelegation lets a key sign for a namespace.
type NamespaceDelegation struct {
	Namespace string
	Target    signing.Key
	// AllMappings reports whether the key may sign everything in the namespace, further delegations included.
	AllMappings bool
}

// IsRoot reports whether the delegation is the one that a namespace begins with: that of the key that it is named
// after.
func (d NamespaceDelegation) IsRoot() bool {
	return d.AllMappings && d.Namespace == d.Target.Public.Fingerprint()
}

// DecentralizedNamespace is a namespace that several owners hold together.
type DecentralizedNamespace struct {
	Namespace string
	// Threshold is how many owners act for all.
	Threshold int
	// Owners are namespaces, without repeats.
	Owners []string
}

// Permission is what a participant does for a party that it hosts.
type Permission int

// The permissions.
const (
	Submission   Permission = 1
	Confirmation Permission = 2
	Observation  Permission = 3
)

// Host is a participant that hosts a party.
type Host struct {
	Participant string     `json:"participant"`
	Permission  Permission `json:"permission"`
}

// PartyToParticipant says which participants host a party and, unless a [PartyToKey] does, which keys sign for it.
type PartyToParticipant struct {
	Party ledger.Party
	// Threshold is how many confirming participants must agree.
	Threshold int
	Hosts     []Host
	// Keys is empty when the party's keys are elsewhere.
	Keys []signing.Key
	// KeyThreshold is how many keys must sign.
	KeyThreshold int
}

// PartyToKey says which keys sign for a party. [PartyToParticipant] has taken its place.
type PartyToKey struct {
	Party     ledger.Party
	Keys      []signing.Key
	Threshold int
}

// Other is a mapping that is known by name only.
type Other string

// Kind implements [Mapping].
func (NamespaceDelegation) Kind() string { return "NamespaceDelegation" }

// Kind implements [Mapping].
func (DecentralizedNamespace) Kind() string { return "DecentralizedNamespaceDefinition" }

// Kind implements [Mapping].
func (PartyToParticipant) Kind() string { return "PartyToParticipant" }

// Kind implements [Mapping].
func (PartyToKey) Kind() string { return "PartyToKeyMapping" }

// Kind implements [Mapping].
func (o Other) Kind() string { return string(o) }

func (p PartyToParticipant) hosts(permission Permission) []string {
	var out []string
	for _, host := range p.Hosts {
		if host.Permission == permission {
			out = append(out, host.Participant)
		}
	}
	return out
}

// namespaceOf is the part of a party's or participant's id that says who controls it.
func namespaceOf(id string) string {
	_, namespace, _ := ledger.SplitParty(id)
	return namespace
}

// short is how upstream prints ids in texts: with the beginning of the namespace only.
func short(id string) string {
	const limit = 12
	namespace := namespaceOf(id)
	if len(namespace) <= limit {
		return id
	}
	return strings.TrimSuffix(id, namespace) + namespace[:limit] + "..."
}
