package script

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// submit submits to the node, and waits. A submission that should fail but succeeds stays on the ledger.
func (l *remote) submit(q *question, one submission) (engine.Value, error) {
	outcome, err := l.send(q, one)
	transaction := Transaction{ActAs: one.actAs, ReadAs: one.readAs, At: one.at, Tree: outcome.Transaction}
	if err == nil {
		l.transactions = append(l.transactions, transaction)
	}
	switch {
	case err == nil && one.behaviour == mustFail:
		return nil, &questionError{
			question: q.name, at: one.at, submission: &transaction,
			err: fault.InterpretationUserError.New("Expected submit to fail but it succeeded, and stays on the ledger"),
		}
	case err == nil:
		return q.make.right(q.make.pair(q.results(one, outcome), q.tree(outcome.Transaction, one.commands))), nil
	case one.behaviour == mustSucceed || !q.isRefusal(err):
		return nil, &questionError{question: q.name, at: one.at, err: err, final: !q.isRefusal(err)}
	default:
		h := &host{ledger: newMemoryLedger(nil), readers: ledger.SortedParties(one.actAs, one.readAs)}
		if refusal, ok := fault.As(err); ok {
			for _, resource := range refusal.Resources {
				if resource.Type == "CONTRACT_KEY" {
					h.key.Value = json.RawMessage(resource.Value)
				}
			}
		}
		return q.make.left(q.submitError(err, h)), nil
	}
}

// send sends a submission to the node, and reads the result.
func (l *remote) send(q *question, one submission) (engine.Interpretation, error) {
	var commands, disclosed []any
	for _, c := range one.commands {
		command, err := q.wireCommand(c)
		if err != nil {
			return engine.Interpretation{}, err
		}
		commands = append(commands, command)
	}
	for _, d := range one.disclosed {
		disclosed = append(disclosed, object{"contractId": d.id, "createdEventBlob": d.blob})
	}
	id := q.draw()
	readers := ledger.SortedParties(one.actAs, one.readAs)
	var answer struct {
		Transaction struct {
			Events []event `json:"events"`
		} `json:"transaction"`
	}
	err := l.call(q, post, "/v2/commands/submit-and-wait-for-transaction", object{
		"commands": object{
			"commandId": "script-" + hex.EncodeToString(id[:16]), "actAs": one.actAs, "readAs": one.readAs,
			"commands": commands, "disclosedContracts": disclosed, "packageIdSelectionPreference": one.preference,
		},
		"transactionFormat": object{
			"eventFormat":      eventFormat(readers, "WildcardFilter", object{}),
			"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
		},
	}, &answer)
	if err != nil {
		return engine.Interpretation{}, err
	}
	return q.outcome(one, answer.Transaction.Events)
}

// wireCommand converts a command for the API. The node selects packages by name, unless the command means exactly this
// package; interfaces have no versions.
func (q *question) wireCommand(c command) (object, error) {
	of := c.of
	if q.suite.packages.Template(of) != nil && !c.exact {
		of = q.byName(of)
	}
	out := object{"templateId": of.String()}
	var err error
	encode := func(name string, t ast.Type, v engine.Value) {
		if err == nil {
			out[name], err = q.suite.program.EncodeAs(t, v)
		}
	}
	if c.kind == create || c.kind == createAndExercise {
		encode("createArguments", &ast.TyCon{Name: c.of}, c.argument)
	}
	if c.kind == exercise {
		out["contractId"] = c.contract
	}
	if c.kind == exerciseByKey {
		template := q.suite.packages.Template(c.of)
		if template == nil || template.Key == nil {
			return nil, fmt.Errorf("%s has no contract key", c.of)
		}
		encode("contractKey", template.Key.Type, c.key)
	}
	if c.kind != create {
		def := q.choiceDef(c.of, c.choice)
		if def == nil {
			return nil, fmt.Errorf("%s has no choice %s", c.of, c.choice)
		}
		out["choice"] = c.choice
		encode("choiceArgument", def.Argument.Type, c.choiceOf)
	}
	return object{c.kind + "Command": out}, err
}

// choiceDef finds a choice of a template or an interface; nil for none.
func (q *question) choiceDef(of lf.TypeName, name string) *ast.Choice {
	if template := q.suite.packages.Template(of); template != nil {
		return template.Choice(name)
	}
	if iface := q.suite.packages.Interface(of); iface != nil {
		return iface.Choice(name)
	}
	return nil
}

// event is an event of a transaction in the API.
type event struct {
	Created   *createdEvent   `json:"CreatedEvent"`
	Exercised *exercisedEvent `json:"ExercisedEvent"`
}

type exercisedEvent struct {
	NodeID      int32             `json:"nodeId"`
	Last        int32             `json:"lastDescendantNodeId"`
	ID          ledger.ContractID `json:"contractId"`
	Template    lf.TypeName       `json:"templateId"`
	PackageName string            `json:"packageName"`
	Interface   *lf.TypeName      `json:"interfaceId"`
	Choice      string            `json:"choice"`
	Argument    json.RawMessage   `json:"choiceArgument"`
	Result      json.RawMessage   `json:"exerciseResult"`
	Acting      []ledger.Party    `json:"actingParties"`
	Consuming   bool              `json:"consuming"`
}

// outcome makes the part of a transaction that its parties see, and the results of its commands.
func (q *question) outcome(one submission, events []event) (engine.Interpretation, error) {
	var out engine.Interpretation
	t := &out.Transaction
	type span struct{ index, last int32 }
	var around []span
	var results []json.RawMessage // of the roots
	for _, e := range events {
		node, at, last, result, err := q.node(e)
		if err != nil {
			return out, err
		}
		for len(around) > 0 && around[len(around)-1].last < at {
			around = around[:len(around)-1]
		}
		node.ID = int32(len(t.Nodes))
		if len(around) == 0 {
			t.Roots, results = append(t.Roots, node.ID), append(results, result)
		} else {
			parent := &t.Nodes[around[len(around)-1].index]
			parent.Children = append(parent.Children, node.ID)
		}
		if e.Exercised != nil {
			around = append(around, span{node.ID, last})
		}
		t.Nodes = append(t.Nodes, node)
	}
	return out, q.readResults(one, &out, results)
}

// readResults reads the results of commands, in the versions of the commands' choices.
func (q *question) readResults(one submission, out *engine.Interpretation, results []json.RawMessage) error {
	t := &out.Transaction
	at := 0
	for _, c := range one.commands {
		if c.kind == createAndExercise {
			at++
		}
		if at >= len(t.Roots) {
			return fmt.Errorf("the node returned %d events at the top of the transaction, fewer than it has commands",
				len(t.Roots))
		}
		root := &t.Nodes[t.Roots[at]]
		if c.kind == create {
			out.Results = append(out.Results, root.ContractID)
		} else {
			v, err := q.decode(q.choiceDef(c.of, c.choice).ReturnType, results[at])
			if err != nil {
				return err
			}
			out.Results = append(out.Results, v)
			if root.Interface == nil {
				root.Template.Package = c.of.Package
			}
		}
		at++
	}
	return nil
}

// node converts an event to a node of a transaction, with its place, the place of the last event below it, and the
// result of its choice. An event of an unknown package becomes a fetch, which trees leave out.
func (q *question) node(e event) (node ledger.TxNode, at, last int32, result json.RawMessage, err error) {
	switch {
	case e.Created != nil:
		c := e.Created
		node = ledger.TxNode{
			Kind: ledger.EventCreate, ContractID: c.ID, Template: q.local(c.Template, c.PackageName),
			PackageName: c.PackageName, Signatories: c.Signatories, Observers: c.Observers,
		}
		if q.suite.packages.Template(node.Template) == nil {
			node.Kind = ledger.EventFetch
			return node, c.NodeID, c.NodeID, nil, nil
		}
		node.ArgumentType, node.Argument, err = q.decodeStored(&ast.TyCon{Name: node.Template}, c.Argument)
		return node, c.NodeID, c.NodeID, nil, err
	case e.Exercised != nil:
		x := e.Exercised
		node = ledger.TxNode{
			Kind: ledger.EventExercise, ContractID: x.ID, Template: q.local(x.Template, x.PackageName),
			PackageName: x.PackageName, Interface: x.Interface, Choice: x.Choice, Consuming: x.Consuming,
			ActingParties: x.Acting,
		}
		of := node.Template
		if x.Interface != nil {
			of = *x.Interface
		}
		def := q.choiceDef(of, x.Choice)
		if def == nil {
			node.Kind = ledger.EventFetch
			return node, x.NodeID, x.Last, x.Result, nil
		}
		node.ArgumentType, node.Argument, err = q.decodeStored(def.Argument.Type, x.Argument)
		return node, x.NodeID, x.Last, x.Result, err
	default:
		return node, 0, 0, nil, q.endRun(errUnknownEvent)
	}
}

var errUnknownEvent = errors.New("the node returned an event of an unknown kind")

// decodeStored decodes a value of the ledger.
func (q *question) decodeStored(t ast.Type, encoded json.RawMessage) (*lf.Type, lf.Value, error) {
	typ, err := q.suite.program.StoredType(t)
	if err != nil {
		return nil, nil, q.endRun(err)
	}
	v, err := lf.DecodeJSON(typ, encoded)
	if err != nil {
		return nil, nil, q.endRun(fmt.Errorf("the script's packages cannot read a value of the ledger: %w", err))
	}
	return typ, v, nil
}

// local is the template in the script's packages: itself, or another version that they have.
func (q *question) local(template lf.TypeName, packageName string) lf.TypeName {
	if q.suite.packages.Template(template) != nil {
		return template
	}
	out, release := template, ""
	for id, p := range q.suite.packages {
		other := withPackage(template, id)
		if p.Name == packageName && q.suite.packages.Template(other) != nil &&
			(release == "" || upgrade.CompareReleases(p.Release, release) > 0) {
			out, release = other, p.Release
		}
	}
	return out
}
