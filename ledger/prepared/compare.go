package prepared

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgerpb"
)

// Difference is one place where the signed transaction differs from the computed one.
type Difference struct {
	// Path is the place, such as "node 0 (exercise Transfer): chosen_value.amount".
	Path string
	// Signed and Computed are the two values in words.
	Signed, Computed string
}

// String is the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: signed %s, computed %s", d.Path, d.Signed, d.Computed)
}

// maxDifferences limits the list; one difference is enough to refuse.
const maxDifferences = 20

// Compare lists the differences between the signed transaction and the one that the node computed from its command. It
// compares everything that a hash covers, and the bound of the record time, but not node ids, which only connect the
// tree. Without a difference, computed is the signed transaction.
func (t *Transaction) Compare(computed *Transaction) []Difference {
	c := &comparison{}
	signedTx, computedTx := t.message.GetTransaction(), computed.message.GetTransaction()
	c.metadata(t.message.GetMetadata(), computed.message.GetMetadata())
	c.text("transaction.version", signedTx.GetVersion(), computedTx.GetVersion())
	c.nodes("transaction.roots", tree{t, signedTx.GetRoots()}, tree{computed, computedTx.GetRoots()})
	return c.differences
}

// Verify refuses the result of running the transaction's command again if it differs from the signed transaction. Then
// the error is a *fault.Fault; any other error is a defect.
func (t *Transaction) Verify(packages *ledger.Packages, again ledger.Transaction) error {
	computed, err := Build(packages, again, t.Metadata())
	if err != nil {
		return err
	}
	if differences := t.Compare(computed); len(differences) > 0 {
		return refuseDifferences(differences)
	}
	return nil
}

func refuseDifferences(differences []Difference) *fault.Fault {
	lines := make([]string, len(differences))
	for i, difference := range differences {
		lines[i] = difference.String()
	}
	refusal := failed("The signed transaction differs from the transaction that this node computes from the command: %s",
		lines[0]).
		WithHint("Prepare the transaction again, check it, and sign it.")
	if len(lines) > 1 {
		refusal = refusal.With("differences", strings.Join(lines, "\n"))
	}
	return refusal
}

type comparison struct{ differences []Difference }

// tree is a list of sibling nodes of a transaction.
type tree struct {
	of  *Transaction
	ids []string
}

func (c *comparison) add(path, signed, computed string) {
	if len(c.differences) < maxDifferences {
		c.differences = append(c.differences, Difference{Path: path, Signed: signed, Computed: computed})
	}
}

func (c *comparison) text(path, signed, computed string) {
	if signed != computed {
		c.add(path, fmt.Sprintf("%q", signed), fmt.Sprintf("%q", computed))
	}
}

func (c *comparison) metadata(signed, computed *ledgerpb.Metadata) {
	c.message("metadata", signed.ProtoReflect(), computed.ProtoReflect(), "input_contracts")
	byID := func(m *ledgerpb.Metadata) map[string]*ledgerpb.Metadata_InputContract {
		out := map[string]*ledgerpb.Metadata_InputContract{}
		for _, input := range m.GetInputContracts() {
			out[input.GetV1().GetContractId()] = input
		}
		return out
	}
	ours := byID(computed)
	for _, input := range signed.GetInputContracts() {
		id := input.GetV1().GetContractId()
		path := "metadata.input_contracts " + id
		if ours[id] == nil {
			c.add(path, "is there", "is not used")
			continue
		}
		c.message(path, input.ProtoReflect(), ours[id].ProtoReflect())
		delete(ours, id)
	}
	for _, input := range computed.GetInputContracts() {
		if id := input.GetV1().GetContractId(); ours[id] != nil {
			c.add("metadata.input_contracts "+id, "is not there", "is used")
		}
	}
}

func (c *comparison) nodes(path string, signed, computed tree) {
	if len(signed.ids) != len(computed.ids) {
		c.add(path, fmt.Sprintf("%d nodes", len(signed.ids)), fmt.Sprintf("%d nodes", len(computed.ids)))
	}
	for i := range min(len(signed.ids), len(computed.ids)) {
		c.node(tree{signed.of, signed.ids[i : i+1]}, tree{computed.of, computed.ids[i : i+1]})
	}
}

func (c *comparison) node(signed, computed tree) {
	signedID, computedID := signed.ids[0], computed.ids[0]
	ours, theirs := computed.of.nodes[computedID], signed.of.nodes[signedID]
	path := "node " + signedID + " (" + title(theirs) + ")"
	if kindOf(theirs) != kindOf(ours) {
		c.add(path, "a "+title(theirs), "a "+title(ours))
		return
	}
	c.text(path+": seed",
		hex.EncodeToString(signed.of.seeds[signedID]), hex.EncodeToString(computed.of.seeds[computedID]))
	c.message(path+": ", content(theirs), content(ours), "children")
	c.nodes(path+": children", tree{signed.of, childrenOf(theirs)}, tree{computed.of, childrenOf(ours)})
}

func title(node *ledgerpb.Node) string {
	switch node := node.GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		return "create " + node.Create.GetTemplateId().GetEntityName()
	case *ledgerpb.Node_Exercise:
		return "exercise " + node.Exercise.GetChoiceId()
	case *ledgerpb.Node_Fetch:
		return "fetch " + node.Fetch.GetTemplateId().GetEntityName()
	default:
		return kindOf(&ledgerpb.Node{NodeType: node})
	}
}

func content(node *ledgerpb.Node) protoreflect.Message {
	message := node.ProtoReflect()
	return message.Get(message.WhichOneof(message.Descriptor().Oneofs().Get(0))).Message()
}

// message compares two messages of one type field by field. It skips event blobs: [Transaction.Execution] checks them
// against the contract ids.
func (c *comparison) message(path string, signed, computed protoreflect.Message, leaveOut ...protoreflect.Name) {
	fields := signed.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if slices.Contains(leaveOut, field.Name()) || field.Name() == "event_blob" {
			continue
		}
		c.field(join(path, string(field.Name())), field, signed, computed)
	}
}

func (c *comparison) field(path string, field protoreflect.FieldDescriptor, signed, computed protoreflect.Message) {
	switch {
	case field.HasPresence() && signed.Has(field) != computed.Has(field):
		c.add(path, presence(field, signed), presence(field, computed))
	case field.IsList():
		c.list(path, field, signed.Get(field).List(), computed.Get(field).List())
	case field.Message() != nil:
		if signed.Has(field) {
			c.message(path, signed.Get(field).Message(), computed.Get(field).Message())
		}
	case !signed.Get(field).Equal(computed.Get(field)):
		c.add(path, scalar(field, signed.Get(field)), scalar(field, computed.Get(field)))
	}
}

func (c *comparison) list(path string, field protoreflect.FieldDescriptor, signed, computed protoreflect.List) {
	if signed.Len() != computed.Len() {
		c.add(path, listText(field, signed), listText(field, computed))
		return
	}
	for i := range signed.Len() {
		at := fmt.Sprintf("%s[%d]", path, i)
		if field.Message() != nil {
			c.message(fieldPath(path, at, signed.Get(i)), signed.Get(i).Message(), computed.Get(i).Message())
			continue
		}
		if !signed.Get(i).Equal(computed.Get(i)) {
			c.add(at, scalar(field, signed.Get(i)), scalar(field, computed.Get(i)))
		}
	}
}

// fieldPath names a field of a record by its label instead of its position.
func fieldPath(path, at string, element protoreflect.Value) string {
	field, ok := element.Message().Interface().(*ledgerpb.RecordField)
	if !ok || field.GetLabel() == "" {
		return at
	}
	return strings.TrimSuffix(path, ".fields") + "." + field.GetLabel()
}

// join omits the parts of a path that exist only in the messages, not in the values.
func join(path, name string) string {
	switch {
	case strings.HasSuffix(path, ": "):
		return path + name
	case name == "record", name == "value", name == "v1":
		return path
	default:
		return path + "." + name
	}
}

func presence(field protoreflect.FieldDescriptor, message protoreflect.Message) string {
	switch {
	case !message.Has(field):
		return "none"
	case field.Message() != nil:
		return "a " + string(field.Name())
	default:
		return scalar(field, message.Get(field))
	}
}

func listText(field protoreflect.FieldDescriptor, list protoreflect.List) string {
	if field.Message() != nil {
		return fmt.Sprintf("%d entries", list.Len())
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = scalar(field, list.Get(i))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func scalar(field protoreflect.FieldDescriptor, value protoreflect.Value) string {
	switch field.Kind() {
	case protoreflect.StringKind:
		return fmt.Sprintf("%q", value.String())
	case protoreflect.BytesKind:
		return hex.EncodeToString(value.Bytes())
	default:
		return value.String()
	}
}
