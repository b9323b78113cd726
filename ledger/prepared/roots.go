package prepared

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared/preparedpb"
)

// The paths of fields to the roots of a transaction.
var (
	transactionField  = numberOf(&preparedpb.PreparedTransaction{}, "transaction")
	rootsField        = numberOf(&preparedpb.DamlTransaction{}, "roots")
	nodesField        = numberOf(&preparedpb.DamlTransaction{}, "nodes")
	nodeIDField       = numberOf(&preparedpb.DamlTransaction_Node{}, "node_id")
	nodeField         = numberOf(&preparedpb.DamlTransaction_Node{}, "v1")
	createField       = numberOf(&preparedpb.Node{}, "create")
	exerciseField     = numberOf(&preparedpb.Node{}, "exercise")
	createdTemplate   = numberOf(&preparedpb.Create{}, "template_id")
	exercisedTemplate = numberOf(&preparedpb.Exercise{}, "template_id")
	exercisedChoice   = numberOf(&preparedpb.Exercise{}, "choice_id")
	identifierPackage = numberOf(&preparedpb.Identifier{}, "package_id")
	identifierModule  = numberOf(&preparedpb.Identifier{}, "module_name")
	identifierEntity  = numberOf(&preparedpb.Identifier{}, "entity_name")
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
