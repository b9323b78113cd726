package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// change changes one declaration.
type change struct {
	// place is a declaration, "db.Watcher.wait", or a file that is not Go: "db/schema/00001_baseline.sql".
	place string
	verb  string
	// texts are the arguments of the verb.
	texts []string
}

// The verbs of changes; protections.md says what each does.
const (
	neverIf  = "never if"
	alwaysIf = "always if"
	drop     = "drop"
	replace  = "replace by"
	returns  = "return"
)

// arity is the number of texts of a verb.
func arity(verb string) int {
	return map[string]int{neverIf: 1, alwaysIf: 1, drop: 1, replace: 2, returns: 1}[verb]
}

// apply makes the change in a file of root, or in its version in changed.
func (c change) apply(root string, changed map[string]string) error {
	found, err := find(root, c.place, changed)
	if err != nil {
		return err
	}
	after, err := c.edit(found)
	if err == nil && path.Ext(found.file) == ".go" {
		_, err = parser.ParseFile(token.NewFileSet(), "", after, parser.SkipObjectResolution)
	}
	if err != nil {
		return fmt.Errorf("%s: %s %q: %w", c.place, c.verb, c.texts[0], err)
	}
	changed[found.file] = after
	return nil
}

// edit returns the changed source. It keeps dead code, so that the compiler finds no unused names.
func (c change) edit(d declaration) (string, error) {
	wanted := c.texts[0]
	switch c.verb {
	case neverIf, alwaysIf:
		fixed := map[string]string{neverIf: "false && ", alwaysIf: "true || "}[c.verb]
		condition, err := requireOne(d.conditions(wanted))
		return d.splice(condition, fixed+"("+condition.text+")"), err
	case drop:
		if element, err := requireOne(d.elements(wanted)); err == nil {
			return d.splice(element, ""), nil
		}
		if statement, err := requireOne(d.statements(wanted)); err == nil {
			return d.splice(statement, "if false { "+statement.text+" }"), nil
		}
		part, err := requireOne(d.strings(wanted))
		return d.splice(part, ""), err
	case returns:
		function, ok := d.node.(*ast.FuncDecl)
		if !ok {
			return "", errors.New("only a function returns")
		}
		return d.splice(d.span(function.Body.Lbrace+1, function.Body.Lbrace+1), " if true { return "+wanted+" };"), nil
	default:
		part, err := requireOne(append(d.nodes(wanted), d.strings(wanted)...))
		return d.splice(part, c.texts[1]), err
	}
}

type declaration struct {
	file, source string
	node         ast.Node
	set          *token.FileSet
}

func find(root, place string, changed map[string]string) (declaration, error) {
	folder, base := path.Split(place)
	name, target, _ := strings.Cut(base, ".")
	pattern := path.Join(folder, name, "*.go")
	if path.Ext(place) == ".sql" {
		pattern, target = place, ""
	}
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		return declaration{}, err
	}
	var all []declaration
	for _, each := range files {
		file := path.Join(path.Dir(pattern), filepath.Base(each))
		source, known := changed[file]
		if raw, err := os.ReadFile(each); err != nil {
			return declaration{}, err
		} else if !known {
			source = string(raw)
		}
		if strings.HasSuffix(file, "_test.go") || !strings.Contains(source, target[strings.LastIndex(target, ".")+1:]) {
			continue
		}
		nodes, set, err := declarations(file, source, target)
		if err != nil {
			return declaration{}, err
		}
		for _, node := range nodes {
			all = append(all, declaration{file, source, node, set})
		}
	}
	if len(all) != 1 {
		return declaration{}, fmt.Errorf("%s is declared %d times, expected once", place, len(all))
	}
	return all[0], nil
}

// declarations are the declarations of a file with a name: of a function, a variable, a constant, or "Type.Method". A
// file that is not Go is one string.
func declarations(file, source, name string) (found []ast.Node, set *token.FileSet, err error) {
	set = token.NewFileSet()
	if path.Ext(file) != ".go" {
		begin := set.AddFile(file, -1, len(source)).Pos(0)
		return []ast.Node{&ast.BasicLit{ValuePos: begin, Kind: token.STRING, Value: source}}, set, nil
	}
	parsed, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			full := node.Name.Name
			if node.Recv != nil {
				of := node.Recv.List[0].Type
				receiver, _, _ := strings.Cut(source[set.Position(of.Pos()).Offset:set.Position(of.End()).Offset], "[")
				full = strings.TrimPrefix(receiver, "*") + "." + full
			}
			if full == name {
				found = append(found, node)
			}
			return false
		case *ast.ValueSpec:
			if slices.ContainsFunc(node.Names, func(i *ast.Ident) bool { return i.Name == name }) {
				found = append(found, node)
			}
		}
		return true
	})
	return found, set, nil
}

type span struct {
	begin, end int
	text       string
}

func requireOne(found []span) (span, error) {
	if len(found) != 1 {
		return span{}, fmt.Errorf("the text occurs %d times, expected once", len(found))
	}
	return found[0], nil
}

func (d declaration) span(begin, end token.Pos) span {
	from, to := d.set.Position(begin).Offset, d.set.Position(end).Offset
	return span{from, to, d.source[from:to]}
}

func (d declaration) of(node ast.Node) span { return d.span(node.Pos(), node.End()) }

// is reports whether a node has the text. "name()" matches a call of name with any arguments.
func (d declaration) is(node ast.Node, text string) bool {
	call, _ := node.(*ast.CallExpr)
	return d.of(node).text == text || call != nil && d.of(call.Fun).text+"()" == text
}

func (d declaration) splice(at span, text string) string {
	return d.source[:at.begin] + text + d.source[at.end:]
}

// each calls visit with the declaration and all of its nodes.
func (d declaration) each(visit func(ast.Node)) {
	ast.Inspect(d.node, func(node ast.Node) bool {
		if node != nil {
			visit(node)
		}
		return node != nil
	})
}

// conditions are the conditions of if, for and switch with exactly the text. Without one, they are those that contain
// it or begin with it: "if err := text(); err != nil".
func (d declaration) conditions(text string) []span {
	var exact, found []span
	add := func(condition ast.Expr, begin token.Pos) {
		if condition == nil || !strings.Contains(d.span(begin, condition.End()).text, text) {
			return
		}
		found = append(found, d.of(condition))
		if d.of(condition).text == text {
			exact = append(exact, d.of(condition))
		}
	}
	d.each(func(node ast.Node) {
		switch node := node.(type) {
		case *ast.IfStmt:
			add(node.Cond, node.If)
		case *ast.ForStmt:
			add(node.Cond, node.For)
		case *ast.SwitchStmt:
			for _, clause := range node.Body.List {
				if clause, ok := clause.(*ast.CaseClause); ok && node.Tag == nil {
					for _, condition := range clause.List {
						add(condition, condition.Pos())
					}
				}
			}
		}
	})
	if len(exact) > 0 {
		return exact
	}
	return found
}

// elements are the elements of composite literals and the arguments of calls with the text, or with the text as key.
// Each includes its comma.
func (d declaration) elements(text string) []span {
	var found []span
	d.each(func(node ast.Node) {
		var list []ast.Expr
		switch node := node.(type) {
		case *ast.CompositeLit:
			list = node.Elts
		case *ast.CallExpr:
			list = node.Args
		}
		for i, element := range list {
			named, _ := element.(*ast.KeyValueExpr)
			switch isIt := d.is(element, text) || named != nil && d.is(named.Key, text); {
			case isIt && i > 0:
				found = append(found, d.span(list[i-1].End(), element.End()))
			case isIt && len(list) > 1:
				found = append(found, d.span(element.Pos(), list[1].Pos()))
			case isIt:
				found = append(found, d.of(element))
			}
		}
	})
	return found
}

// statements are the innermost statements with the text that declare nothing and have no block.
func (d declaration) statements(text string) []span {
	var found []span
	d.each(func(node ast.Node) {
		var list []ast.Stmt
		switch node := node.(type) {
		case *ast.BlockStmt:
			list = node.List
		case *ast.CaseClause:
			list = node.Body
		case *ast.CommClause:
			list = node.Body
		}
		for _, statement := range list {
			switch statement := statement.(type) {
			case *ast.AssignStmt:
				if statement.Tok == token.DEFINE {
					continue
				}
			case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.ReturnStmt:
			default:
				continue
			}
			if part := d.of(statement); strings.Contains(part.text, text) {
				found = slices.DeleteFunc(found, func(outer span) bool { return outer.begin <= part.begin && part.end <= outer.end })
				found = append(found, part)
			}
		}
	})
	return found
}

// nodes are the expressions and statements with exactly the text.
func (d declaration) nodes(text string) []span {
	var found []span
	d.each(func(node ast.Node) {
		if part := d.of(node); d.is(node, text) && !slices.Contains(found, part) {
			found = append(found, part)
		}
	})
	return found
}

// strings are the places of the text in strings.
func (d declaration) strings(text string) []span {
	var found []span
	d.each(func(node ast.Node) {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && !d.is(literal, text) {
			for rest := d.of(literal); strings.Contains(rest.text, text); {
				at := rest.begin + strings.Index(rest.text, text)
				found = append(found, span{at, at + len(text), text})
				rest = span{at + len(text), rest.end, d.source[at+len(text) : rest.end]}
			}
		}
	})
	return found
}
