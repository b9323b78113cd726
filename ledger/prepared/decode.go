package prepared

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/signing"
)

// Transaction is a complete prepared transaction. Its nodes form a tree and its sets are sorted. [Transaction.Compare]
// checks it against its commands. It is immutable.
type Transaction struct {
	message *ledgerpb.PreparedTransaction
	raw     []byte
	nodes   map[string]*ledgerpb.Node
	seeds   map[string][]byte
	order   []string // the ids of all nodes in order of execution
}

// Decode reads a prepared transaction. It refuses, with a [DecodeError], incomplete or contradictory ones, and content
// that no hash covers: fields of later versions, nodes outside the tree.
func Decode(raw []byte) (*Transaction, error) {
	message := &ledgerpb.PreparedTransaction{}
	if err := signing.Unmarshal(raw, message); err != nil {
		return nil, &DecodeError{Field: "prepared_transaction", Reason: err.Error(), kind: unreadable}
	}
	if err := signing.RefuseUnknownFields(message.ProtoReflect()); err != nil {
		return nil, malformed("prepared_transaction", err)
	}
	t, err := adopt(message)
	if err != nil {
		return nil, err
	}
	t.raw = bytes.Clone(raw)
	return t, nil
}

// Bytes are the encoded transaction.
func (t *Transaction) Bytes() []byte { return bytes.Clone(t.raw) }

// adopt checks a message, sorts its sets and indexes its nodes. The caller must not change the message afterwards.
func adopt(message *ledgerpb.PreparedTransaction) (*Transaction, error) {
	t := &Transaction{message: message, nodes: map[string]*ledgerpb.Node{}, seeds: map[string][]byte{}}
	switch {
	case message.GetMetadata() == nil:
		return nil, missing("metadata")
	case message.GetMetadata().GetSubmitterInfo() == nil:
		return nil, missing("submitter_info")
	case message.GetTransaction() == nil:
		return nil, missing("transaction")
	}
	if err := checkMetadata(message.GetMetadata()); err != nil {
		return nil, err
	}
	if err := t.indexNodes(); err != nil {
		return nil, malformed("transaction", err)
	}
	if err := t.indexSeeds(); err != nil {
		return nil, malformed("node_seeds", err)
	}
	if err := t.walk(); err != nil {
		return nil, malformed("transaction", err)
	}
	return t, nil
}

func (t *Transaction) indexNodes() error {
	for _, node := range t.message.GetTransaction().GetNodes() {
		id := node.GetNodeId()
		if err := checkNodeID(id); err != nil {
			return err
		}
		if t.nodes[id] != nil {
			return fmt.Errorf("there are two nodes %s", id)
		}
		if err := checkNode(node.GetV1()); err != nil {
			return fmt.Errorf("node %s: %w", id, err)
		}
		t.nodes[id] = node.GetV1()
	}
	return nil
}

// maxTreeDepth protects the recursion from hostile trees; engines stop far earlier.
const maxTreeDepth = 1000

// walk visits the tree in order of execution and refuses nodes that are not in it exactly once.
func (t *Transaction) walk() error {
	if len(t.message.GetTransaction().GetRoots()) == 0 {
		return errors.New("there is no root node")
	}
	seen := map[string]bool{}
	var visit func(id string, depth int) error
	visit = func(id string, depth int) error {
		node, ok := t.nodes[id]
		switch {
		case !ok:
			return fmt.Errorf("the tree refers to node %s, which does not exist", id)
		case seen[id]:
			return fmt.Errorf("the tree refers to node %s more than once", id)
		case depth > maxTreeDepth:
			return fmt.Errorf("the tree is deeper than %d nodes", maxTreeDepth)
		case needsSeed(node) && t.seeds[id] == nil:
			return fmt.Errorf("node %s has no seed", id)
		}
		seen[id] = true
		t.order = append(t.order, id)
		for _, child := range childrenOf(node) {
			if err := visit(child, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	for _, root := range t.message.GetTransaction().GetRoots() {
		if err := visit(root, 1); err != nil {
			return err
		}
	}
	for _, node := range t.message.GetTransaction().GetNodes() {
		if !seen[node.GetNodeId()] {
			return fmt.Errorf("node %s is not part of the tree", node.GetNodeId())
		}
	}
	return nil
}

func childrenOf(node *ledgerpb.Node) []string {
	return append(node.GetExercise().GetChildren(), node.GetRollback().GetChildren()...)
}

func needsSeed(node *ledgerpb.Node) bool {
	return node.GetCreate() != nil || node.GetExercise() != nil
}

// DecodeError says why bytes are no prepared transaction.
type DecodeError struct {
	// Field is the part that is missing or wrong, in snake case.
	Field  string
	Reason string
	kind   decodeFailure
}

type decodeFailure int

const (
	unreadable decodeFailure = iota
	absent
	wrong
)

// Error names the field and the reason.
func (e *DecodeError) Error() string {
	switch e.kind {
	case unreadable:
		return "not a prepared transaction: " + e.Reason
	case absent:
		return e.Field + " is missing"
	default:
		return e.Field + ": " + e.Reason
	}
}

// Unreadable reports whether the bytes are no prepared transaction at all.
func (e *DecodeError) Unreadable() bool { return e.kind == unreadable }

// Fault is the refusal of a request with such bytes (contract, POST /v2/interactive-submission/execute).
func (e *DecodeError) Fault() *fault.Fault {
	switch e.kind {
	case unreadable:
		return fault.InvalidArgumentf("Cannot parse prepared_transaction: %s", e.Reason).
			WithHint("Send the bytes of preparedTransaction from the answer of prepare, unchanged.")
	case absent:
		return fault.MissingFieldNamed(e.Field)
	default:
		return failed("Failed to deserialize %s: %s", e.Field, e.Reason)
	}
}

func missing(field string) *DecodeError { return &DecodeError{Field: field, kind: absent} }

func malformed(field string, err error) *DecodeError {
	return &DecodeError{Field: field, Reason: err.Error(), kind: wrong}
}

func failed(format string, args ...any) *fault.Fault {
	return fault.FailedToExecuteTransaction.New(
		"The participant failed to execute the transaction: %s", fmt.Sprintf(format, args...))
}
