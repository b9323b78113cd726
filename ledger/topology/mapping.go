package topology

import (
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
)

// Mapping is the content of a topology transaction. All implementations are in this file.
type Mapping interface {
	// Kind is the mapping's name in error texts of the API.
	Kind() string
}

// NamespaceDelegation lets a key sign for a namespace.
type NamespaceDelegation struct {
	Namespace string
	Target    signing.Key
	// AllMappings reports whether the key may sign everything in the namespace, further delegations included.
	AllMappings bool
}

// IsRoot reports whether the delegation is the root of its namespace: the one for the key that gives the namespace its
// name.
func (d NamespaceDelegation) IsRoot() bool {
	return d.AllMappings && d.Namespace == d.Target.Public.Fingerprint()
}

// DecentralizedNamespace is a namespace that several owners control together.
type DecentralizedNamespace struct {
	Namespace string
	// Threshold is the number of owners that act for all.
	Threshold int
	// Owners are namespaces, without duplicates.
	Owners []string
}

// Permission is the role of a participant for a party that it hosts.
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
	// Threshold is the number of confirming participants that must agree.
	Threshold int
	Hosts     []Host
	// Keys is empty when a PartyToKey has the party's keys.
	Keys []signing.Key
	// KeyThreshold is the number of keys that must sign.
	KeyThreshold int
}

// PartyToKey says which keys sign for a party. [PartyToParticipant] replaces it.
type PartyToKey struct {
	Party     ledger.Party
	Keys      []signing.Key
	Threshold int
}

// Other is a mapping of which this package knows only the name.
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

// namespaceOf is the namespace in a party's or participant's id.
func namespaceOf(id string) string {
	_, namespace, _ := ledger.SplitParty(id)
	return namespace
}

// short is an id with only the beginning of the namespace, as upstream prints it in texts.
func short(id string) string {
	const limit = 12
	namespace := namespaceOf(id)
	if len(namespace) <= limit {
		return id
	}
	return strings.TrimSuffix(id, namespace) + namespace[:limit] + "..."
}
