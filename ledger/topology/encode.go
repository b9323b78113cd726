package topology

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/topology/topologypb"
)

// Encode writes the first version of a mapping as a transaction that adds it. It supports only the mappings of a
// party's onboarding.
func Encode(mapping Mapping) ([]byte, error) {
	var content topologypb.TopologyMapping
	switch mapping := mapping.(type) {
	case NamespaceDelegation:
		content.Mapping = &topologypb.TopologyMapping_NamespaceDelegation{NamespaceDelegation: writeDelegation(mapping)}
	case DecentralizedNamespace:
		content.Mapping = &topologypb.TopologyMapping_DecentralizedNamespaceDefinition{
			DecentralizedNamespaceDefinition: &topologypb.DecentralizedNamespaceDefinition{
				DecentralizedNamespace: mapping.Namespace, Threshold: int32(mapping.Threshold), Owners: mapping.Owners,
			},
		}
	case PartyToParticipant:
		content.Mapping = &topologypb.TopologyMapping_PartyToParticipant{PartyToParticipant: writeHosting(mapping)}
	case PartyToKey:
		content.Mapping = &topologypb.TopologyMapping_PartyToKeyMapping{PartyToKeyMapping: &topologypb.PartyToKeyMapping{
			Party: string(mapping.Party), Threshold: uint32(mapping.Threshold), SigningKeys: writeKeys(mapping.Keys),
		}}
	default:
		return nil, fmt.Errorf("a mapping of kind %T cannot be written", mapping)
	}
	data, err := marshal(&topologypb.TopologyTransaction{
		Operation: topologypb.TopologyTransaction_OPERATION_ADD_REPLACE, Serial: 1, Mapping: &content,
	})
	if err != nil {
		return nil, err
	}
	return marshal(&topologypb.UntypedVersionedMessage{Data: data, Version: formatVersion})
}

// marshal writes fields in the order of their numbers. Clients rely on that.
func marshal(message proto.Message) ([]byte, error) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("write a topology transaction: %w", err)
	}
	return raw, nil
}

func writeDelegation(d NamespaceDelegation) *topologypb.NamespaceDelegation {
	out := &topologypb.NamespaceDelegation{Namespace: d.Namespace, TargetKey: writeKey(d.Target)}
	if d.AllMappings {
		out.Restriction = &topologypb.NamespaceDelegation_CanSignAllMappings_{
			CanSignAllMappings: &topologypb.NamespaceDelegation_CanSignAllMappings{},
		}
		return out
	}
	out.Restriction = &topologypb.NamespaceDelegation_CanSignAllButNamespaceDelegations_{
		CanSignAllButNamespaceDelegations: &topologypb.NamespaceDelegation_CanSignAllButNamespaceDelegations{},
	}
	return out
}

func writeHosting(p PartyToParticipant) *topologypb.PartyToParticipant {
	out := &topologypb.PartyToParticipant{Party: string(p.Party), Threshold: uint32(p.Threshold)}
	for _, host := range p.Hosts {
		out.Participants = append(out.Participants, &topologypb.PartyToParticipant_HostingParticipant{
			ParticipantUid: host.Participant, Permission: topologypb.PartyToParticipant_Permission(host.Permission),
		})
	}
	if len(p.Keys) > 0 {
		out.PartySigningKeys = &topologypb.SigningKeysWithThreshold{
			Keys: writeKeys(p.Keys), Threshold: uint32(p.KeyThreshold),
		}
	}
	return out
}
