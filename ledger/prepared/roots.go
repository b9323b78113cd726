package prepared

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// The paths of fields to the roots of a transaction.
var (
	transactionField  = numberOf(&ledgerpb.PreparedTransaction{}, "transaction")
	rootsField        = numberOf(&ledgerpb.DamlTransaction{}, "roots")
	nodesField        = numberOf(&ledgerpb.DamlTransaction{}, "nodes")
	nodeIDField       = numberOf(&ledgerpb.DamlTransaction_Node{}, "node_id")
	nodeField         = numberOf(&ledgerpb.DamlTransaction_Node{}, "v1")
	createField       = numberOf(&ledgerpb.Node{}, "create")
	exerciseField     = numberOf(&ledgerpb.Node{}, "exercise")
	createdTemplate   = numberOf(&ledgerpb.Create{}, "template_id")
	exercisedTemplate = numberOf(&ledgerpb.Exercise{}, "template_id")
	exercisedChoice   = numberOf(&ledgerpb.Exercise{}, "choice_id")
	identifierPackage = numberOf(&ledgerpb.Identifier{}, "package_id")
	identifierModule  = numberOf(&ledgerpb.Identifier{}, "module_name")
	identifierEntity  = numberOf(&ledgerpb.Identifier{}, "entity_name")
)

// Roots yields the template and choice of each root of a prepared transaction; the choice is "" for a create. It reads
// the wire form, like [ActAs].
func Roots(raw []byte) iter.Seq2[lf.TypeName, string] {
	return func(yield func(lf.TypeName, string) bool) {
		for transaction := range fieldsOf(raw, transactionField) {
			roots := slices.Collect(fieldsOf(transaction, rootsField))
			for node := range fieldsOf(transaction, nodesField) {
				id := textOf(node, nodeIDField)
				isRoot := slices.ContainsFunc(roots, func(root []byte) bool { return string(root) == id })
				if isRoot && !yieldNode(node, yield) {
					return
				}
			}
		}
	}
}

func yieldNode(node []byte, yield func(lf.TypeName, string) bool) bool {
	for content := range fieldsOf(node, nodeField) {
		for create := range fieldsOf(content, createField) {
			if !yield(templateOf(create, createdTemplate), "") {
				return false
			}
		}
		for exercise := range fieldsOf(content, exerciseField) {
			if !yield(templateOf(exercise, exercisedTemplate), textOf(exercise, exercisedChoice)) {
				return false
			}
		}
	}
	return true
}

// textOf is the last value of a field of text, as the decoder takes it.
func textOf(message []byte, field protowire.Number) string {
	text := ""
	for content := range fieldsOf(message, field) {
		text = string(content)
	}
	return text
}

func templateOf(node []byte, field protowire.Number) lf.TypeName {
	var name lf.TypeName
	for identifier := range fieldsOf(node, field) {
		name = lf.TypeName{
			Package: lf.PackageID(textOf(identifier, identifierPackage)),
			Module:  textOf(identifier, identifierModule), Entity: textOf(identifier, identifierEntity),
		}
	}
	return name
}
