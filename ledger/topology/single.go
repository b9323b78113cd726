package topology

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
)

// SingleKeyParty makes the three transactions that an external party signs for the validator of the public network
// (upstream's topology/generate): the root delegation of its namespace, its hosting, and the key that signs for it. The
// party is in the key's namespace, and this node is its only host.
func SingleKeyParty(party ledger.Party, key signing.PublicKey, node Node) ([][]byte, error) {
	mappings := []Mapping{
		NamespaceDelegation{
			Namespace: key.Fingerprint(), AllMappings: true,
			Target: signing.Key{Public: key, Usages: []signing.Usage{signing.UsageNamespace}},
		},
		PartyToParticipant{
			Party: party, Threshold: 1,
			Hosts: []Host{{Participant: node.ParticipantID, Permission: Confirmation}},
		},
		PartyToKey{Party: party, Threshold: 1, Keys: []signing.Key{{
			Public: key, Usages: []signing.Usage{signing.UsageProofOfOwnership, signing.UsageProtocol},
		}}},
	}
	transactions := make([][]byte, len(mappings))
	for i, mapping := range mappings {
		var err error
		if transactions[i], err = Encode(mapping); err != nil {
			return nil, err
		}
	}
	return transactions, nil
}
