package script

import (
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// tree is a transaction as the library shows it to scripts. Templates at the top are named as the commands name them.
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
	return q.make.record(q.make.in(treeModule, "TransactionTree"), named{"rootEvents": engine.ListOf(events...)})
}

func withPackage(name lf.TypeName, id lf.PackageID) lf.TypeName {
	name.Package = id
	return name
}

// event is a node as the library shows it; nil for nodes that it does not show.
func (q *question) event(t ledger.Transaction, node ledger.TxNode, template lf.TypeName) engine.Value {
	event := q.make.in(treeModule, "TreeEvent")
	id := q.make.contractID(template, node.ContractID)
	switch node.Kind {
	case ledger.EventCreate:
		argument, err := q.importValue(template, node.Argument)
		q.make.keep(err)
		return q.make.variant(event, "CreatedEvent", q.make.record(q.make.in(treeModule, "Created"), named{
			"contractId": id, "argument": q.make.template(template, argument),
		}))
	case ledger.EventExercise:
		children := []engine.Value{}
		for _, child := range node.Children {
			if inner := q.event(t, t.Nodes[child], t.Nodes[child].Template); inner != nil {
				children = append(children, inner)
			}
		}
		return q.make.variant(event, "ExercisedEvent", q.make.record(q.make.in(treeModule, "Exercised"), named{
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
		if declared := q.suite.packages.Interface(of); declared != nil {
			def = declared.Choice(node.Choice)
		}
	} else if declared := q.suite.packages.Template(of); declared != nil {
		def = declared.Choice(node.Choice)
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
	return q.make.record(anyChoice, named{
		"getAnyChoice":                 q.make.program.NewAny(def.Argument.Type, argument),
		"getAnyChoiceTemplateTypeRep":  q.make.typeRep(of),
		"getAnyChoiceInterfaceTypeRep": none,
	})
}
