package script

import (
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// tree makes the library's value of a transaction. Templates of root nodes have the names in the commands.
func (q *question) tree(t ledger.Transaction, commands []command) engine.Value {
	var events []engine.Value
	var packages []lf.PackageID
	for _, c := range commands {
		packages = append(packages, c.of.Package)
		if c.kind == createAndExercise {
			packages = append(packages, c.of.Package)
		}
	}
	for i, root := range t.Roots {
		node := t.Nodes[root]
		template := node.Template
		if i < len(packages) && q.suite.packages.Template(withPackage(template, packages[i])) != nil {
			template = withPackage(template, packages[i])
		}
		if event := q.event(t, node, template); event != nil {
			events = append(events, event)
		}
	}
	return q.make.record(q.make.in(treeModule, "TransactionTree"), fieldValues{"rootEvents": engine.ListOf(events...)})
}

func withPackage(name lf.TypeName, id lf.PackageID) lf.TypeName {
	name.Package = id
	return name
}

// event makes the library's value of a node; nil for nodes that it does not have.
func (q *question) event(t ledger.Transaction, node ledger.TxNode, template lf.TypeName) engine.Value {
	event := q.make.in(treeModule, "TreeEvent")
	id := q.make.contractID(template, node.ContractID)
	switch node.Kind {
	case ledger.EventCreate:
		argument, err := q.importValue(template, node.Argument)
		q.make.keep(err)
		return q.make.variant(event, "CreatedEvent", q.make.record(q.make.in(treeModule, "Created"), fieldValues{
			"contractId": id, "argument": q.make.template(template, argument),
		}))
	case ledger.EventExercise:
		children := []engine.Value{}
		for _, child := range node.Children {
			if inner := q.event(t, t.Nodes[child], t.Nodes[child].Template); inner != nil {
				children = append(children, inner)
			}
		}
		return q.make.variant(event, "ExercisedEvent", q.make.record(q.make.in(treeModule, "Exercised"), fieldValues{
			"contractId": id, "choice": lf.Text(node.Choice), "argument": q.choiceOf(node, template),
			"childEvents": engine.ListOf(children...),
		}))
	default:
		return nil
	}
}

// choiceOf makes the AnyChoice of an exercise.
func (q *question) choiceOf(node ledger.TxNode, template lf.TypeName) engine.Value {
	of := template
	var def *ast.Choice
	if node.Interface != nil {
		of = *node.Interface
		if iface := q.suite.packages.Interface(of); iface != nil {
			def = iface.Choice(node.Choice)
		}
	} else if tpl := q.suite.packages.Template(of); tpl != nil {
		def = tpl.Choice(node.Choice)
	}
	if def == nil {
		q.make.keep(fmt.Errorf("%s has no choice %s", of, node.Choice))
		return unit
	}
	argument := unit
	if constructor, ok := def.Argument.Type.(*ast.TyCon); ok {
		var err error
		argument, err = q.importValue(constructor.Name, node.Argument)
		q.make.keep(err)
	}
	return q.make.record(anyChoice, fieldValues{
		"getAnyChoice":                 q.make.program.NewAny(def.Argument.Type, argument),
		"getAnyChoiceTemplateTypeRep":  q.make.typeRep(of),
		"getAnyChoiceInterfaceTypeRep": none,
	})
}
