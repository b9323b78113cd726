package topology

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology/topologypb"
)

// Transaction is a decoded topology transaction. In JSON it is its bytes in base64.
type Transaction struct {
	// Raw are the received bytes.
	Raw []byte
	// Hash is the hash of the bytes.
	Hash    Hash
	Remove  bool
	Serial  uint32
	Mapping Mapping
}

// formatVersion is the version of the format that protocol versions 34 and 35 use.
const formatVersion = 30

// Parse reads the bytes of a topology transaction. The error reports another version, unknown fields, invalid
// identifiers and keys, or impossible thresholds.
func Parse(raw []byte) (Transaction, error) {
	var wrapper topologypb.UntypedVersionedMessage
	if err := unmarshal(raw, &wrapper); err != nil {
		return Transaction{}, err
	}
	if wrapper.GetVersion() != formatVersion {
		return Transaction{}, fmt.Errorf("format version %d is not supported: use %d", wrapper.GetVersion(), formatVersion)
	}
	var content topologypb.TopologyTransaction
	if err := unmarshal(wrapper.GetData(), &content); err != nil {
		return Transaction{}, err
	}
	out := Transaction{Raw: bytes.Clone(raw), Hash: HashOf(raw), Serial: content.GetSerial()}
	switch content.GetOperation() {
	case topologypb.TopologyTransaction_OPERATION_ADD_REPLACE:
	case topologypb.TopologyTransaction_OPERATION_REMOVE:
		out.Remove = true
	default:
		return Transaction{}, fmt.Errorf("operation %d is unknown: use add or replace, or remove",
			content.GetOperation())
	}
	var err error
	out.Mapping, err = readMapping(content.GetMapping())
	return out, err
}

// unmarshal reads a message and refuses unknown fields: nobody should sign content that this node cannot read.
func unmarshal(raw []byte, into proto.Message) error {
	if err := signing.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the bytes cannot be read: %w", err)
	}
	return signing.RefuseUnknownFields(into.ProtoReflect())
}

func readMapping(mapping *topologypb.TopologyMapping) (Mapping, error) {
	switch content := mapping.GetMapping().(type) {
	case nil:
		return nil, errors.New("it has no mapping")
	case *topologypb.TopologyMapping_NamespaceDelegation:
		return readDelegation(content.NamespaceDelegation)
	case *topologypb.TopologyMapping_DecentralizedNamespaceDefinition:
		return readDecentralized(content.DecentralizedNamespaceDefinition)
	case *topologypb.TopologyMapping_PartyToParticipant:
		return readPartyToParticipant(content.PartyToParticipant)
	case *topologypb.TopologyMapping_PartyToKeyMapping:
		return readPartyToKey(content.PartyToKeyMapping)
	default:
		message := mapping.ProtoReflect()
		field := message.WhichOneof(message.Descriptor().Oneofs().Get(0))
		return Other(camel(string(field.Name()))), nil
	}
}

// camel turns a field's name into the name of its mapping: vetted_packages is VettedPackages.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func readDelegation(m *topologypb.NamespaceDelegation) (Mapping, error) {
	key, err := readKey(m.GetTargetKey())
	if err != nil {
		return nil, fmt.Errorf("target_key: %w", err)
	}
	if err := signing.CheckFingerprint(m.GetNamespace()); err != nil {
		return nil, fmt.Errorf("namespace: %w", err)
	}
	out := NamespaceDelegation{Namespace: m.GetNamespace(), Target: key}
	switch m.GetRestriction().(type) {
	case *topologypb.NamespaceDelegation_CanSignAllMappings_:
		out.AllMappings = true
	case nil: // the older form, without restrictions
		out.AllMappings = m.GetIsRootDelegation()
		return out, nil
	}
	if m.GetIsRootDelegation() {
		return nil, errors.New("is_root_delegation must not be set beside a restriction")
	}
	return out, nil
}

func readDecentralized(m *topologypb.DecentralizedNamespaceDefinition) (Mapping, error) {
	out := DecentralizedNamespace{
		Namespace: m.GetDecentralizedNamespace(), Threshold: int(m.GetThreshold()), Owners: m.GetOwners(),
	}
	if err := signing.CheckFingerprint(out.Namespace); err != nil {
		return nil, fmt.Errorf("decentralized_namespace: %w", err)
	}
	for _, owner := range out.Owners {
		if err := signing.CheckFingerprint(owner); err != nil {
			return nil, fmt.Errorf("owners: %w", err)
		}
	}
	if twice, ok := repeated(out.Owners); ok {
		return nil, fmt.Errorf("owner %s is listed more than once", twice)
	}
	if out.Threshold < 1 || out.Threshold > len(out.Owners) {
		return nil, fmt.Errorf("threshold %d is not between 1 and the number of owners (%d)",
			out.Threshold, len(out.Owners))
	}
	return out, nil
}

func readPartyToParticipant(m *topologypb.PartyToParticipant) (Mapping, error) {
	out := PartyToParticipant{Party: ledger.Party(m.GetParty()), Threshold: int(m.GetThreshold())}
	if err := checkUniqueID(m.GetParty()); err != nil {
		return nil, fmt.Errorf("party: %w", err)
	}
	if out.Threshold < 1 {
		return nil, fmt.Errorf("threshold %d must be at least 1", out.Threshold)
	}
	var participants []string
	for _, host := range m.GetParticipants() {
		if err := checkUniqueID(host.GetParticipantUid()); err != nil {
			return nil, fmt.Errorf("participants: %w", err)
		}
		permission := Permission(host.GetPermission())
		if permission < Submission || permission > Observation {
			return nil, fmt.Errorf("participant %s has an unknown permission", host.GetParticipantUid())
		}
		if host.GetOnboarding() != nil {
			return nil, fmt.Errorf("participant %s is marked as onboarding, but a new party has no contracts to transfer",
				host.GetParticipantUid())
		}
		participants = append(participants, host.GetParticipantUid())
		out.Hosts = append(out.Hosts, Host{Participant: host.GetParticipantUid(), Permission: permission})
	}
	if twice, ok := repeated(participants); ok {
		return nil, fmt.Errorf("participant %s is listed more than once", twice)
	}
	if m.GetPartySigningKeys() == nil {
		return out, nil
	}
	var err error
	out.KeyThreshold = int(m.GetPartySigningKeys().GetThreshold())
	out.Keys, err = readKeys(m.GetPartySigningKeys().GetKeys(), out.KeyThreshold)
	return out, err
}

func readPartyToKey(m *topologypb.PartyToKeyMapping) (Mapping, error) {
	if err := checkUniqueID(m.GetParty()); err != nil {
		return nil, fmt.Errorf("party: %w", err)
	}
	keys, err := readKeys(m.GetSigningKeys(), int(m.GetThreshold()))
	return PartyToKey{Party: ledger.Party(m.GetParty()), Keys: keys, Threshold: int(m.GetThreshold())}, err
}

// checkUniqueID says why a text is no id of a party or participant.
func checkUniqueID(id string) error {
	if err := ledger.CheckParty(id); err != nil {
		return err
	}
	hint, namespace, ok := ledger.SplitParty(id)
	if !ok {
		return fmt.Errorf("%q is not of the form name::fingerprint", id)
	}
	if err := ledger.CheckPartyHint(hint); err != nil {
		return err
	}
	return signing.CheckFingerprint(namespace)
}

func repeated(values []string) (string, bool) {
	seen := map[string]bool{}
	for _, value := range values {
		if seen[value] {
			return value, true
		}
		seen[value] = true
	}
	return "", false
}

// MarshalJSON implements [json.Marshaler].
func (t Transaction) MarshalJSON() ([]byte, error) { return json.Marshal(t.Raw) }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Transaction) UnmarshalJSON(data []byte) error {
	var raw []byte
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("read a topology transaction: %w", err)
	}
	parsed, err := Parse(raw)
	if err == nil {
		*t = parsed
	}
	return err
}
