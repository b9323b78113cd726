package prepared

import (
	"crypto/sha256"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger/ledgerpb"
)

// Encodings are the bytes behind the hashes of a transaction.
type Encodings struct {
	Nodes                 map[string][]byte
	Transaction, Metadata []byte
	TransactionHash       [32]byte
	MetadataHash          [32]byte
}

// Encode gives the bytes behind the hash of a transaction.
func (t *Transaction) Encode(scheme Scheme) Encodings {
	h := &hasher{of: t, scheme: scheme}
	out := Encodings{
		Nodes: map[string][]byte{}, Transaction: h.encodeTransaction(), Metadata: h.encodeMetadata(),
		TransactionHash: h.transaction(), MetadataHash: h.metadata(),
	}
	for _, id := range t.order {
		out.Nodes[id] = h.encodeNode(id)
	}
	return out
}

// EncodeValue gives the bytes that stand for a value in hashes.
func EncodeValue(value *ledgerpb.Value) ([]byte, error) {
	if err := checkValue(value, 1); err != nil {
		return nil, err
	}
	e := &encoding{}
	e.value(value)
	return e.content, nil
}

// EncodeQuery gives the bytes that stand for a query node in scheme V3.
func EncodeQuery(query *ledgerpb.QueryByKey) ([]byte, [32]byte, error) {
	node := &ledgerpb.Node{NodeType: &ledgerpb.Node_QueryByKey{QueryByKey: query}}
	if err := checkNode(node); err != nil {
		return nil, [32]byte{}, err
	}
	t := &Transaction{nodes: map[string]*ledgerpb.Node{"0": node}}
	h := &hasher{of: t, scheme: SchemeV3}
	encoded := h.encodeNode("0")
	return encoded, sha256.Sum256(encoded), nil
}

// Primitives gives the encodings of the smallest things, by the names of the vectors.
func Primitives() map[string][]byte {
	encode := func(write func(e *encoding)) []byte {
		e := &encoding{}
		write(e)
		return e.content
	}
	return map[string][]byte{
		"bool true":        encode(func(e *encoding) { e.bool(true, "") }),
		"bool false":       encode(func(e *encoding) { e.bool(false, "") }),
		"int32 0x12345678": encode(func(e *encoding) { e.int32(0x12345678, "") }),
		"int32 -1":         encode(func(e *encoding) { e.int32(-1, "") }),
		"int64 1":          encode(func(e *encoding) { e.int64(1, "") }),
		`string "abc"`:     encode(func(e *encoding) { e.text("abc", "") }),
		`string "" `:       encode(func(e *encoding) { e.text("", "") }),
		"hex string 00ff":  encode(func(e *encoding) { e.hexText("00ff", "") }),
		`list ["a","bc"]`:  encode(func(e *encoding) { e.texts([]string{"a", "bc"}, "") }),
		"empty list":       encode(func(e *encoding) { e.texts(nil, "") }),
		"optional none":    encode(func(e *encoding) { e.optionalTime(nil, "") }),
		"optional int64 7": encode(func(e *encoding) { seven := uint64(7); e.optionalTime(&seven, "") }),
		"identifier package / Mod.Sub / Outer.Inner": encode(func(e *encoding) {
			e.identifier(&ledgerpb.Identifier{PackageId: "package", ModuleName: "Mod.Sub", EntityName: "Outer.Inner"}, "")
		}),
	}
}

// Message is the protobuf form of a transaction.
func (t *Transaction) Message() *ledgerpb.PreparedTransaction { return t.message }

// DecodeGraph reads a transaction whose nodes are no tree: some published vectors mention a node twice, which a hash
// does not mind.
func DecodeGraph(raw []byte) (*Transaction, error) {
	message := &ledgerpb.PreparedTransaction{}
	if err := proto.Unmarshal(raw, message); err != nil {
		return nil, err
	}
	t := &Transaction{message: message, nodes: map[string]*ledgerpb.Node{}, seeds: map[string][]byte{}}
	err := errors.Join(checkMetadata(message.GetMetadata()), t.indexNodes(), t.indexSeeds())
	for id := range t.nodes {
		t.order = append(t.order, id)
	}
	return t, err
}
