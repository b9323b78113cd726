package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// naiveLedger has the effects of updates.
type naiveLedger struct {
	contracts []ast.Expr // arguments; nil for consumed contracts
	templates []lf.TypeName
	nodes     []*naiveNode // below the current node
	takeBack  bool
}

// naiveNode is an action of a transaction, as text, or a rollback, without text.
type naiveNode struct {
	text      string
	effectful bool
	children  []*naiveNode
}

func (l *naiveLedger) add(effectful bool, format string, args ...any) *naiveNode {
	node := &naiveNode{text: fmt.Sprintf(format, args...), effectful: effectful}
	l.nodes = append(l.nodes, node)
	return node
}

// within puts the nodes of a function below a node.
func (l *naiveLedger) within(node *naiveNode, do func() (ast.Expr, error)) (ast.Expr, error) {
	outer := l.nodes
	l.nodes = nil
	v, err := do()
	node.children, l.nodes = l.nodes, outer
	return v, err
}

func (n *naiveNode) isEffectful() bool {
	return n.effectful || n.text != "" && slices.ContainsFunc(n.children, (*naiveNode).isEffectful)
}

// normal returns a transaction in normal form.
func normal(nodes []*naiveNode) (out []*naiveNode) {
	for _, node := range nodes {
		if children := normal(node.children); node.text == "" {
			out = append(out, rollback(children)...)
		} else {
			out = append(out, &naiveNode{text: node.text, children: children})
		}
	}
	return out
}

// rollback wraps a transaction in normal form, by the five rules of the specification.
func rollback(nodes []*naiveNode) []*naiveNode {
	switch n := len(nodes); {
	case n == 0:
		return nil
	case nodes[0].text == "":
		return append([]*naiveNode{nodes[0]}, rollback(nodes[1:])...)
	case nodes[n-1].text == "":
		return []*naiveNode{{children: append(slices.Clone(nodes[:n-1]), nodes[n-1].children...)}}
	default:
		return []*naiveNode{{children: nodes}}
	}
}

// lines prints nodes, a line each.
func lines(nodes []*naiveNode, indent string) (out []string) {
	for _, node := range nodes {
		out = append(out, indent+cmp.Or(node.text, "rollback"))
		out = append(out, lines(node.children, indent+"  ")...)
	}
	return out
}

// find returns the number of an active contract.
func (l *naiveLedger) find(id ast.Expr) (int, error) {
	n, err := strconv.Atoi(id.(*ast.ExpVar).Name[1:])
	if err == nil && l.contracts[n] == nil {
		err = errors.New("CONTRACT_NOT_ACTIVE")
	}
	return n, err
}

// update evaluates the parts of an update; of a block, the first update.
func (n *naive) update(e ast.Expr) (ast.Expr, error) {
	switch e := e.(type) {
	case *ast.UpdatePure:
		parts, err := n.all(e.Expr)
		return &ast.UpdatePure{Expr: first(parts)}, err
	case *ast.UpdateCreate:
		parts, err := n.all(e.Argument)
		return &ast.UpdateCreate{Template: e.Template, Argument: first(parts)}, err
	case *ast.UpdateFetch:
		parts, err := n.all(e.ContractID)
		return &ast.UpdateFetch{Template: e.Template, ContractID: first(parts)}, err
	case *ast.UpdateExercise:
		parts, err := n.all(e.ContractID, e.Argument)
		if err != nil {
			return nil, err
		}
		return &ast.UpdateExercise{
			Template: e.Template, Choice: e.Choice, ContractID: parts[0], Argument: parts[1],
		}, nil
	case *ast.UpdateBlock:
		v, err := n.eval(e.Bindings[0].Bound)
		if err != nil {
			return nil, err
		}
		bindings := append([]ast.Binding{{Binder: e.Bindings[0].Binder, Bound: v}}, e.Bindings[1:]...)
		return &ast.UpdateBlock{Bindings: bindings, Body: e.Body}, nil
	default:
		return nil, stuck(e)
	}
}

// perform evaluates an expression to an update, and runs that.
func (n *naive) perform(e ast.Expr) (ast.Expr, error) {
	update, err := n.eval(e)
	if err != nil {
		return nil, err
	}
	return n.run(update)
}

// run runs an evaluated update.
func (n *naive) run(update ast.Expr) (ast.Expr, error) {
	switch u := update.(type) {
	case *ast.UpdatePure:
		return u.Expr, nil
	case *ast.UpdateBlock:
		v, err := n.run(u.Bindings[0].Bound)
		if err != nil {
			return nil, err
		}
		rest := u.Body
		if len(u.Bindings) > 1 {
			rest = &ast.UpdateBlock{Bindings: u.Bindings[1:], Body: u.Body}
		}
		return n.perform(substituteVar(rest, u.Bindings[0].Binder.Name, v))
	case *ast.UpdateEmbedExpr:
		return n.perform(u.Body)
	case *ast.UpdateTryCatch:
		return n.try(u)
	case *ast.UpdateCreate:
		l := &n.ledger
		l.contracts, l.templates = append(l.contracts, u.Argument), append(l.templates, u.Template)
		l.add(true, "create %s", n.show(u.Argument))
		return &ast.ExpVar{Name: fmt.Sprintf("#%d", len(l.contracts)-1)}, nil
	case *ast.UpdateFetch:
		i, err := n.ledger.find(u.ContractID)
		if err != nil {
			return nil, err
		}
		n.ledger.add(false, "fetch #%d", i)
		return n.ledger.contracts[i], nil
	case *ast.UpdateExercise:
		return n.exercise(u)
	default:
		return nil, stuck(update)
	}
}

func (n *naive) exercise(u *ast.UpdateExercise) (ast.Expr, error) {
	i, err := n.ledger.find(u.ContractID)
	if err != nil {
		return nil, err
	}
	template := n.packages.Template(u.Template)
	choice := template.Choice(u.Choice)
	node := n.ledger.add(choice.Consuming, "exercise %s of #%d with %s", u.Choice, i, n.show(u.Argument))
	body := substituteVar(choice.Update, choice.Self, u.ContractID)
	body = substituteVar(body, choice.Argument.Name, u.Argument)
	body = substituteVar(body, template.Param, n.ledger.contracts[i])
	if choice.Consuming {
		n.ledger.contracts[i] = nil
	}
	result, err := n.ledger.within(node, func() (ast.Expr, error) { return n.perform(body) })
	if err != nil {
		return nil, err
	}
	node.text += " for " + n.show(result)
	return result, nil
}

// try rolls back the nodes of the body, if the ledger allows it. Reads can always be rolled back.
func (n *naive) try(u *ast.UpdateTryCatch) (ast.Expr, error) {
	l := &n.ledger
	before, contracts := l.nodes, slices.Clone(l.contracts)
	node := &naiveNode{}
	v, err := l.within(node, func() (ast.Expr, error) { return n.perform(u.Body) })
	exception, ok := errors.AsType[*naiveExceptionError](err)
	if !ok {
		l.nodes = append(before, node.children...)
		return v, err
	}
	if !l.takeBack && slices.ContainsFunc(node.children, (*naiveNode).isEffectful) {
		return nil, errors.New("DAML_EFFECTFUL_ROLLBACK_ERROR")
	}
	l.nodes = append(before, node)
	for len(contracts) < len(l.contracts) { // created contracts keep their numbers
		contracts = append(contracts, nil)
	}
	l.contracts = contracts
	caught := &ast.ExpToAnyException{Type: exception.typ, Expr: exception.value}
	handler, handlerErr := n.eval(substituteVar(u.Handler, u.Var, caught))
	if handlerErr != nil {
		return nil, handlerErr
	}
	some, ok := handler.(*ast.ExpOptionalSome)
	if !ok {
		return nil, err
	}
	return n.run(some.Expr)
}

// builtin applies a built-in function once it has its arguments.
func (n *naive) builtin(f ast.BuiltinFunction, args []ast.Expr) (ast.Expr, error) {
	arity := map[ast.BuiltinFunction]int{ast.Error: 1, ast.Int64ToText: 1, ast.Foldl: 3, ast.Foldr: 3}[f]
	if arity == 0 {
		arity = 2
	}
	if len(args) < arity {
		return &ast.ExpApp{Fun: &ast.ExpBuiltin{Function: f}, Args: args}, nil
	}
	switch f {
	case ast.Trace:
		n.traces = append(n.traces, args[0].(*ast.ExpLitText).Value)
		return args[1], nil
	case ast.Error:
		return nil, errors.New("INTERPRETATION_USER_ERROR: User abort: " + args[0].(*ast.ExpLitText).Value)
	case ast.Equal:
		return &ast.ExpBool{Value: n.show(args[0]) == n.show(args[1])}, nil
	case ast.AppendText:
		return &ast.ExpLitText{Value: args[0].(*ast.ExpLitText).Value + args[1].(*ast.ExpLitText).Value}, nil
	case ast.Int64ToText:
		return &ast.ExpLitText{Value: n.show(args[0])}, nil
	case ast.Less:
		return &ast.ExpBool{Value: args[0].(*ast.ExpLitInt64).Value < args[1].(*ast.ExpLitInt64).Value}, nil
	case ast.Foldl:
		return n.foldLeft(args[0], args[1], args[2])
	case ast.Foldr:
		return n.foldRight(args[0], args[1], args[2])
	default:
		return n.arithmetic(f, args[0].(*ast.ExpLitInt64).Value, args[1].(*ast.ExpLitInt64).Value)
	}
}

func (n *naive) foldLeft(f, acc, list ast.Expr) (ast.Expr, error) {
	c, ok := list.(*ast.ExpListCons)
	if !ok {
		return acc, nil
	}
	next, err := n.apply(f, acc)
	if err == nil {
		next, err = n.apply(next, c.Front[0])
	}
	if err != nil {
		return nil, err
	}
	return n.foldLeft(f, next, c.Tail)
}

func (n *naive) foldRight(f, end, list ast.Expr) (ast.Expr, error) {
	c, ok := list.(*ast.ExpListCons)
	if !ok {
		return end, nil
	}
	rest, err := n.foldRight(f, end, c.Tail)
	if err != nil {
		return nil, err
	}
	g, err := n.apply(f, c.Front[0])
	if err != nil {
		return nil, err
	}
	return n.apply(g, rest)
}

func (n *naive) arithmetic(f ast.BuiltinFunction, a, b int64) (ast.Expr, error) {
	x, y, out := big.NewInt(a), big.NewInt(b), new(big.Int)
	hasResult := true
	switch f {
	case ast.AddInt64:
		out.Add(x, y)
	case ast.SubInt64:
		out.Sub(x, y)
	case ast.MulInt64:
		out.Mul(x, y)
	case ast.DivInt64:
		if hasResult = b != 0; hasResult {
			out.Quo(x, y)
		}
	default:
		return nil, stuck(&ast.ExpBuiltin{Function: f})
	}
	if !hasResult || !out.IsInt64() {
		message := fmt.Sprintf("ArithmeticError while evaluating (%s %d %d).", f, a, b)
		return nil, &naiveExceptionError{typ: &ast.TyCon{Name: arithmeticError}, value: &ast.ExpRecCon{
			Type:   ast.TypeConApp{Name: arithmeticError},
			Fields: []ast.FieldExpr{{Name: "message", Expr: &ast.ExpLitText{Value: message}}},
		}}
	}
	return &ast.ExpLitInt64{Value: out.Int64()}, nil
}

var arithmeticError = lf.TypeName{
	Package: "ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88",
	Module:  "DA.Exception.ArithmeticError", Entity: "ArithmeticError",
}

// show prints a value like that of the engine.
func (n *naive) show(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ExpUnit:
		return "()"
	case *ast.ExpBool:
		return strconv.FormatBool(e.Value)
	case *ast.ExpLitInt64:
		return strconv.FormatInt(e.Value, 10)
	case *ast.ExpLitText:
		return strconv.Quote(e.Value)
	case *ast.ExpVar:
		if strings.Trim(e.Name[1:], "0123456789") == "" {
			return e.Name
		}
		return e.Name[1:]
	case *ast.ExpListNil:
		return "[]"
	case *ast.ExpListCons:
		if rest := n.show(e.Tail); rest != "[]" {
			return "[" + n.show(e.Front[0]) + ", " + rest[1:]
		}
		return "[" + n.show(e.Front[0]) + "]"
	case *ast.ExpOptionalNone:
		return "None"
	case *ast.ExpOptionalSome:
		return "Some " + n.show(e.Expr)
	case *ast.ExpVariantCon:
		return e.Constructor + " " + n.show(e.Argument)
	case *ast.ExpRecCon:
		texts := make([]string, len(e.Fields))
		for i, field := range e.Fields {
			texts[i] = n.show(field.Expr)
		}
		return e.Type.Name.Entity + "{" + strings.Join(texts, ", ") + "}"
	default:
		return fmt.Sprintf("<%T>", e)
	}
}

// failureText is the text of the engine's failure for an error of the naive evaluation.
func (n *naive) failureText(err error) string {
	exception, ok := errors.AsType[*naiveExceptionError](err)
	if !ok {
		return err.Error()
	}
	message := fieldOf(exception.value.(*ast.ExpRecCon).Fields, "message").(*ast.ExpLitText).Value
	name := exception.typ.(*ast.TyCon).Name.QualifiedName()
	return fmt.Sprintf("UNHANDLED_EXCEPTION/%s (error category 9): %s", name, message)
}

const largest = math.MaxInt64
