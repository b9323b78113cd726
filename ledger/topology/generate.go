package topology

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// Node is the node that decides on an external party.
type Node struct {
	// ParticipantID is name::fingerprint of this participant.
	ParticipantID string
	// SynchronizerID is alias::fingerprint of the synchronizer that it is connected to.
	SynchronizerID string
}

// PublicKey is a key in a client's request (contract, SigningPublicKey).
type PublicKey struct {
	Format signing.KeyFormat
	Data   []byte
	Spec   signing.KeySpec
}

// GenerateRequest asks for the topology transactions that make a party of one key (contract, POST
// /v2/parties/external/generate-topology).
type GenerateRequest struct {
	// Synchronizer is a logical synchronizer id.
	Synchronizer string
	PartyHint    string
	// PublicKey controls the namespace and signs for the party; nil when the request has none.
	PublicKey *PublicKey
	// ObserveOnly makes this node observe instead of confirm.
	ObserveOnly     bool
	OtherConfirming []string
	// ConfirmationThreshold 0 means all confirming participants.
	ConfirmationThreshold int32
	Observing             []string
}

// GeneratedTopology are the transactions to sign: together, with the multi-hash, or each by its own hash.
type GeneratedTopology struct {
	Party        ledger.Party
	Fingerprint  string
	Transactions [][]byte
	MultiHash    Hash
}

// Generate answers a request for topology transactions. It changes and stores nothing, and does not check whether the
// party exists. The checks are in the documented order.
func Generate(request GenerateRequest, node Node) (GeneratedTopology, *fault.Fault) {
	if request.PublicKey == nil {
		return GeneratedTopology{}, fault.InvalidArgumentf("public_key is missing")
	}
	key, err := signing.ParsePublicKey(request.PublicKey.Format, request.PublicKey.Spec, request.PublicKey.Data)
	if err != nil {
		return GeneratedTopology{}, fault.InvalidArgumentf("public_key: %s", err)
	}
	if refusal := checkSynchronizer(request.Synchronizer, node); refusal != nil {
		return GeneratedTopology{}, refusal
	}
	party, refusal := newPartyID(request.PartyHint, key.Fingerprint())
	if refusal != nil {
		return GeneratedTopology{}, refusal
	}
	if request.ConfirmationThreshold < 0 {
		return GeneratedTopology{}, fault.InvalidArgumentf("Negative confirmation threshold observed: %d",
			request.ConfirmationThreshold)
	}
	hosts, refusal := hostsOf(request, node)
	if refusal != nil {
		return GeneratedTopology{}, refusal
	}
	mapping := PartyToParticipant{
		Party: party, Hosts: hosts, Threshold: int(request.ConfirmationThreshold), KeyThreshold: 1,
		Keys: []signing.Key{{Public: key, Usages: []signing.Usage{
			signing.UsageNamespace, signing.UsageProofOfOwnership, signing.UsageProtocol,
		}}},
	}
	if mapping.Threshold, refusal = confirmationThreshold(mapping); refusal != nil {
		return GeneratedTopology{}, refusal
	}
	raw, err := Encode(mapping)
	if err != nil {
		return GeneratedTopology{}, fault.Internal(err)
	}
	return GeneratedTopology{
		Party: party, Fingerprint: key.Fingerprint(), Transactions: [][]byte{raw}, MultiHash: MultiHash(HashOf(raw)),
	}, nil
}

func checkSynchronizer(id string, node Node) *fault.Fault {
	if err := ledger.CheckSynchronizerID(id); err != nil {
		return fault.InvalidArgumentf("synchronizer: %s", err)
	}
	if strings.Count(id, "::") != 1 {
		return fault.InvalidArgumentf("synchronizer: %q is a physical synchronizer id; use the logical one", id).
			WithHint("Remove the part after the second \"::\".")
	}
	if id != node.SynchronizerID {
		return fault.InvalidArgumentf("Unknown or not connected synchronizer %s", id).
			WithHint("The synchronizer of this node is " + node.SynchronizerID + ".")
	}
	return nil
}

func newPartyID(hint, namespace string) (ledger.Party, *fault.Fault) {
	if hint == "" {
		return "", fault.InvalidArgumentf("Party hint is empty")
	}
	if err := ledger.CheckPartyHint(hint); err != nil {
		return "", fault.InvalidArgumentf("party_hint: %s", err)
	}
	party := hint + "::" + namespace
	if err := ledger.CheckParty(party); err != nil {
		return "", fault.InvalidArgumentf("party_hint: %s", err)
	}
	return ledger.Party(party), nil
}

// hostsOf lists the hosts in the order of the field: this node, the other confirming ones, the observing ones.
func hostsOf(request GenerateRequest, node Node) ([]Host, *fault.Fault) {
	own := Host{Participant: node.ParticipantID, Permission: Confirmation}
	if request.ObserveOnly {
		own.Permission = Observation
	}
	hosts := []Host{own}
	lists := []struct {
		field      string
		ids        []string
		permission Permission
	}{
		{"otherConfirmingParticipantUids", request.OtherConfirming, Confirmation},
		{"observingParticipantUids", request.Observing, Observation},
	}
	for _, list := range lists {
		for _, id := range list.ids {
			if err := checkUniqueID(id); err != nil {
				return nil, fault.InvalidArgumentf("%s: %s", list.field, err)
			}
			hosts = append(hosts, Host{Participant: id, Permission: list.permission})
		}
	}
	for _, list := range lists {
		for _, id := range list.ids {
			if id == node.ParticipantID {
				return nil, fault.InvalidArgumentf("This participant node (%s) is also listed in '%s'. "+
					"Sending the request to this node already makes it a host of the party.", id, list.field).
					WithHint("Remove this node from the list. To make it only observe, set localParticipantObservationOnly.")
			}
		}
	}
	if twice := repeatedHosts(hosts); len(twice) > 0 {
		return nil, fault.InvalidArgumentf("The following participant IDs are referenced multiple times in the request: %s",
			strings.Join(twice, ", "))
	}
	return hosts, nil
}

func repeatedHosts(hosts []Host) []string {
	count := map[string]int{}
	var out []string
	for _, host := range hosts {
		count[host.Participant]++
		if count[host.Participant] == 2 {
			out = append(out, host.Participant)
		}
	}
	return out
}

func confirmationThreshold(mapping PartyToParticipant) (int, *fault.Fault) {
	confirming := len(mapping.hosts(Confirmation))
	switch {
	case confirming == 0:
		return 0, fault.InvalidArgumentf("No participant would confirm for the party").
			WithHint("Remove localParticipantObservationOnly, or name a participant in otherConfirmingParticipantUids.")
	case mapping.Threshold > confirming:
		return 0, fault.InvalidArgumentf("Confirmation threshold exceeds number of confirming participants (%s)",
			fmt.Sprintf("%d > %d", mapping.Threshold, confirming))
	case mapping.Threshold == 0:
		return confirming, nil
	default:
		return mapping.Threshold, nil
	}
}
