package prepared

import (
	"crypto/sha256"

	"github.com/florinledger/florin/ledger/ledgerpb"
)

// The tags of the kinds of nodes.
const (
	tagCreate     = 0x00
	tagExercise   = 0x01
	tagFetch      = 0x02
	tagRollback   = 0x03
	tagQueryByKey = 0x04
)

// encodingVersion comes before every node and the metadata in scheme V2.
const encodingVersion = 0x01

type hasher struct {
	of     *Transaction
	scheme Scheme
	trace  *trace
}

func (h *hasher) start() *encoding { return &encoding{trace: h.trace} }

// startVersioned starts a node or the metadata.
func (h *hasher) startVersioned() *encoding {
	e := h.start()
	if h.scheme == SchemeV2 {
		e.byte(encodingVersion, "encoding version")
	}
	return e
}

func (h *hasher) node(id string) [32]byte {
	h.trace.begin("node " + id)
	encoded := h.encodeNode(id)
	sum := sha256.Sum256(encoded)
	h.trace.end()
	return sum
}

func (h *hasher) encodeNode(id string) []byte {
	e := h.startVersioned()
	switch node := h.of.nodes[id].GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		h.create(e, node.Create, h.of.seeds[id])
	case *ledgerpb.Node_Exercise:
		h.exercise(e, node.Exercise, h.of.seeds[id])
	case *ledgerpb.Node_Fetch:
		h.fetch(e, node.Fetch)
	case *ledgerpb.Node_Rollback:
		e.byte(tagRollback, "rollback")
		h.children(e, node.Rollback.GetChildren())
	case *ledgerpb.Node_QueryByKey:
		h.queryByKey(e, node.QueryByKey)
	}
	return e.content
}

// create adds a create node; the seed is nil for contracts that the transaction uses but does not create.
func (h *hasher) create(e *encoding, node *ledgerpb.Create, seed []byte) {
	e.text(node.GetLfVersion(), "serialization version")
	e.byte(tagCreate, "create")
	if e.optional(seed != nil, "seed") {
		e.raw(seed, "seed")
	}
	e.hexText(node.GetContractId(), "contract id")
	e.text(node.GetPackageName(), "package name")
	e.identifier(node.GetTemplateId(), "template")
	e.value(node.GetArgument())
	e.texts(node.GetSignatories(), "signatories")
	e.texts(node.GetStakeholders(), "stakeholders")
	h.key(e, node.GetKey())
}

func (h *hasher) exercise(e *encoding, node *ledgerpb.Exercise, seed []byte) {
	e.text(node.GetLfVersion(), "serialization version")
	e.byte(tagExercise, "exercise")
	e.raw(seed, "seed")
	e.hexText(node.GetContractId(), "contract id")
	e.text(node.GetPackageName(), "package name")
	e.identifier(node.GetTemplateId(), "template")
	e.texts(node.GetSignatories(), "signatories")
	e.texts(node.GetStakeholders(), "stakeholders")
	e.texts(node.GetActingParties(), "acting parties")
	e.optionalIdentifier(node.GetInterfaceId(), "interface")
	e.text(node.GetChoiceId(), "choice")
	e.value(node.GetChosenValue())
	e.bool(node.GetConsuming(), "consuming")
	if e.optional(node.GetExerciseResult() != nil, "result") {
		e.value(node.GetExerciseResult())
	}
	e.texts(node.GetChoiceObservers(), "choice observers")
	h.byKey(e, node.GetByKey())
	h.key(e, node.GetKey())
	h.children(e, node.GetChildren())
}

func (h *hasher) fetch(e *encoding, node *ledgerpb.Fetch) {
	e.text(node.GetLfVersion(), "serialization version")
	e.byte(tagFetch, "fetch")
	e.hexText(node.GetContractId(), "contract id")
	e.text(node.GetPackageName(), "package name")
	e.identifier(node.GetTemplateId(), "template")
	e.texts(node.GetSignatories(), "signatories")
	e.texts(node.GetStakeholders(), "stakeholders")
	e.optionalIdentifier(node.GetInterfaceId(), "interface")
	e.texts(node.GetActingParties(), "acting parties")
	h.byKey(e, node.GetByKey())
	h.key(e, node.GetKey())
}

func (h *hasher) queryByKey(e *encoding, node *ledgerpb.QueryByKey) {
	e.text(node.GetLfVersion(), "serialization version")
	e.byte(tagQueryByKey, "query by key")
	e.text(node.GetPackageName(), "package name")
	e.identifier(node.GetTemplateId(), "template")
	e.bool(node.GetExhaustive(), "exhaustive")
	e.key(node.GetKey())
	e.count(len(node.GetResult()), "number of contracts found")
	for _, id := range node.GetResult() {
		e.hexText(id, "contract id")
	}
}

func (h *hasher) children(e *encoding, ids []string) {
	e.count(len(ids), "number of children")
	for _, id := range ids {
		sum := h.node(id)
		e.raw(sum[:], "hash of node "+id)
	}
}

// byKey and key add fields that scheme V2 does not have.
func (h *hasher) byKey(e *encoding, byKey bool) {
	if h.scheme != SchemeV2 {
		e.bool(byKey, "by key")
	}
}

func (h *hasher) key(e *encoding, key *ledgerpb.GlobalKeyWithMaintainers) {
	if h.scheme != SchemeV2 && e.optional(key != nil, "key") {
		e.key(key)
	}
}

func (e *encoding) key(key *ledgerpb.GlobalKeyWithMaintainers) {
	e.text(key.GetKey().GetPackageName(), "package name of the key")
	e.identifier(key.GetKey().GetTemplateId(), "template of the key")
	e.value(key.GetKey().GetKey())
	e.raw(key.GetKey().GetHash(), "hash of the key")
	e.texts(key.GetMaintainers(), "maintainers")
}
