package prepared

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/ledgerpb"
)

// Hash computes the hash to sign: 32 bytes, without the multihash prefix of other hashes. The error is a [SchemeError]
// if the scheme does not cover the whole transaction.
func (t *Transaction) Hash(scheme Scheme) ([32]byte, error) {
	return t.hash(scheme, nil)
}

// HashingDetails explains the hash to people who compare it with their own: one line for each hashed piece, with its
// bytes in hexadecimal and their meaning. Children are inside their parent, before the line with their hash.
func (t *Transaction) HashingDetails(scheme Scheme) (string, error) {
	notes := &trace{}
	if _, err := t.hash(scheme, notes); err != nil {
		return "", err
	}
	return notes.out.String(), nil
}

func (t *Transaction) hash(scheme Scheme, notes *trace) ([32]byte, error) {
	if err := t.hashableBy(scheme); err != nil {
		return [32]byte{}, err
	}
	h := &hasher{of: t, scheme: scheme, trace: notes}
	transaction, metadata := h.transaction(), h.metadata()
	notes.begin("prepared transaction")
	e := h.start()
	e.raw(purpose(), "purpose")
	e.byte(scheme.number(), "hashing scheme")
	e.raw(transaction[:], "hash of the transaction")
	e.raw(metadata[:], "hash of the metadata")
	notes.end()
	sum := sha256.Sum256(e.content)
	notes.line(sum[:], "hash to sign", "")
	return sum, nil
}

func (h *hasher) transaction() [32]byte {
	h.trace.begin("transaction")
	defer h.trace.end()
	h.trace.line(purpose(), "purpose", "")
	return sha256.Sum256(append(purpose(), h.encodeTransaction()...))
}

func (h *hasher) metadata() [32]byte {
	h.trace.begin("metadata")
	defer h.trace.end()
	h.trace.line(purpose(), "purpose", "")
	return sha256.Sum256(append(purpose(), h.encodeMetadata()...))
}

// purpose separates the hashes of prepared transactions from those of other things.
func purpose() []byte { return []byte{0x00, 0x00, 0x00, 0x30} }

func (h *hasher) encodeTransaction() []byte {
	e := h.start()
	transaction := h.of.message.GetTransaction()
	e.text(transaction.GetVersion(), "serialization version")
	e.count(len(transaction.GetRoots()), "number of roots")
	for _, id := range transaction.GetRoots() {
		sum := h.node(id)
		e.raw(sum[:], "hash of node "+id)
	}
	return e.content
}

func (h *hasher) encodeMetadata() []byte {
	e := h.startVersioned()
	metadata := h.of.message.GetMetadata()
	e.texts(metadata.GetSubmitterInfo().GetActAs(), "acting parties")
	e.text(metadata.GetSubmitterInfo().GetCommandId(), "command id")
	e.text(metadata.GetTransactionUuid(), "transaction uuid")
	e.int32(int32(metadata.GetMediatorGroup()), "mediator group")
	e.text(metadata.GetSynchronizerId(), "synchronizer id")
	e.optionalTime(metadata.MinLedgerEffectiveTime, "earliest ledger time")
	e.optionalTime(metadata.MaxLedgerEffectiveTime, "latest ledger time")
	e.int64(int64(metadata.GetPreparationTime()), "preparation time")
	e.count(len(metadata.GetInputContracts()), "number of input contracts")
	for _, input := range metadata.GetInputContracts() {
		e.int64(int64(input.GetCreatedAt()), "created at")
		sum := h.inputContract(input.GetV1())
		e.raw(sum[:], "hash of the input contract")
	}
	if h.scheme != SchemeV2 {
		e.optionalTime(metadata.MaxRecordTime, "latest record time")
	}
	return e.content
}

func (h *hasher) inputContract(contract *ledgerpb.Create) [32]byte {
	h.trace.begin("input contract " + contract.GetContractId())
	defer h.trace.end()
	e := h.startVersioned()
	h.create(e, contract, nil)
	return sha256.Sum256(e.content)
}

// SchemeError says that a scheme does not cover a transaction.
type SchemeError struct {
	Scheme Scheme
	Reason string
}

// Error names the scheme, the reason and a scheme to use instead.
func (e *SchemeError) Error() string {
	name := strings.TrimPrefix(string(e.Scheme), "HASHING_SCHEME_VERSION_")
	return fmt.Sprintf("Hashing scheme version %s cannot hash the transaction: %s", name, e.Reason)
}

// hashableBy refuses content that the hash of the scheme would silently omit.
func (t *Transaction) hashableBy(scheme Scheme) error {
	if scheme.number() == 0 {
		return &SchemeError{Scheme: scheme, Reason: "the version is unknown; use V2 or V3"}
	}
	version := t.message.GetTransaction().GetVersion()
	if !scheme.hashes(version) {
		return unhashable(scheme, version)
	}
	for _, id := range t.order {
		if err := nodeHashableBy(scheme, "node "+id, t.nodes[id]); err != nil {
			return err
		}
	}
	for _, input := range t.message.GetMetadata().GetInputContracts() {
		contract := input.GetV1()
		node := &ledgerpb.Node{NodeType: &ledgerpb.Node_Create{Create: contract}}
		if err := nodeHashableBy(scheme, "input contract "+contract.GetContractId(), node); err != nil {
			return err
		}
	}
	return nil
}

func nodeHashableBy(scheme Scheme, where string, node *ledgerpb.Node) error {
	var version string
	var keyed bool
	switch node := node.GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		version, keyed = node.Create.GetLfVersion(), node.Create.GetKey() != nil
	case *ledgerpb.Node_Exercise:
		version, keyed = node.Exercise.GetLfVersion(), node.Exercise.GetKey() != nil || node.Exercise.GetByKey()
	case *ledgerpb.Node_Fetch:
		version, keyed = node.Fetch.GetLfVersion(), node.Fetch.GetKey() != nil || node.Fetch.GetByKey()
	case *ledgerpb.Node_QueryByKey:
		version, keyed = node.QueryByKey.GetLfVersion(), true
	default:
		return nil
	}
	if !scheme.hashes(version) {
		return unhashable(scheme, version)
	}
	if keyed && scheme == SchemeV2 {
		return &SchemeError{Scheme: scheme, Reason: where + " has a contract key, which V2 does not cover. " +
			"Use HASHING_SCHEME_VERSION_V3"}
	}
	return nil
}

func unhashable(scheme Scheme, version string) error {
	reason := fmt.Sprintf("LF serialization version %s cannot be hashed with it", version)
	if SchemeV3.hashes(version) {
		reason += ". Use HASHING_SCHEME_VERSION_V3"
	}
	return &SchemeError{Scheme: scheme, Reason: reason}
}

// FormatHash is a hash in error texts of the API: hexadecimal with the multihash prefix 1220.
func FormatHash(hash [32]byte) string { return "1220" + hex.EncodeToString(hash[:]) }

// multihash is the hash with its prefix: SHA-256, 32 bytes.
func multihash(hash [32]byte) []byte {
	const sha256, length = 0x12, 0x20
	return append([]byte{sha256, length}, hash[:]...)
}
