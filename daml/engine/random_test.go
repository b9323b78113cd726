package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// ty is a type of random terms.
type ty struct {
	con  string
	args []ty
}

func (t ty) String() string {
	switch t.con {
	case "->":
		return fmt.Sprintf("(%s -> %s)", t.args[0], t.args[1])
	case "<>":
		return fmt.Sprintf("<x: %s, y: %s>", t.args[0], t.args[1])
	}
	if len(t.args) == 0 {
		return t.con
	}
	parts := []string{t.con}
	for _, arg := range t.args {
		parts = append(parts, arg.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func simple(con string, args ...ty) ty { return ty{con: con, args: args} }

var (
	tyUnit, tyBool, tyInt, tyText = simple("Unit"), simple("Bool"), simple("Int64"), simple("Text")
	tyCell                        = simple("D:Cell")
	tyCellID                      = simple("ContractId", tyCell)
)

func tyUpdate(t ty) ty { return simple("Update", t) }

// terms makes random well-typed terms.
type terms struct {
	*rapid.T
	scope  map[string]ty // the variables in scope
	traces int
}

func (g *terms) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.T, "choice") }

// typ makes a random type: one of stored values, or any.
func (g *terms) typ(depth int, stored bool) ty {
	basic := []ty{tyInt, tyText, tyBool, tyUnit}
	n := len(basic)
	if depth > 0 {
		n += 4
		if !stored {
			n += 2
		}
	}
	inner := func() ty { return g.typ(depth-1, stored) }
	switch i := g.pick(n); i {
	case 4:
		return simple("List", inner())
	case 5:
		return simple("Optional", inner())
	case 6:
		return simple("P:Pair", inner(), inner())
	case 7:
		return simple("P:Either", inner(), inner())
	case 8:
		return simple("->", inner(), inner())
	case 9:
		return simple("<>", inner(), inner())
	default:
		return basic[i]
	}
}

// with makes a term in the scope of a variable, which may hide another.
func (g *terms) with(t ty, term func(name string) string) string {
	return g.named(string(rune('a'+g.pick(5))), t, term)
}

func (g *terms) named(name string, t ty, term func(name string) string) string {
	before, hides := g.scope[name]
	g.scope[name] = t
	defer func() {
		if delete(g.scope, name); hides {
			g.scope[name] = before
		}
	}()
	return term(name)
}

// term makes a random term of a type, in parentheses.
func (g *terms) term(t ty, depth int) string {
	var variables []string
	for _, name := range slices.Sorted(maps.Keys(g.scope)) {
		if g.scope[name].String() == t.String() {
			variables = append(variables, name)
		}
	}
	switch {
	case len(variables) > 0 && (depth <= 0 || g.pick(3) == 0):
		return variables[g.pick(len(variables))]
	case depth <= 0:
		return g.leaf(t)
	case g.pick(3) > 0:
		return g.introduction(t, depth-1)
	}
	inner := func(t ty) string { return g.term(t, depth-1) }
	some := g.typ(1, false)
	switch g.pick(14) {
	case 0:
		return g.trace(t, inner(t))
	case 1:
		bound := inner(some)
		return g.with(some, func(x string) string { return fmt.Sprintf("(let %s: %s = %s in %s)", x, some, bound, inner(t)) })
	case 2:
		return fmt.Sprintf("(%s %s)", inner(simple("->", some, t)), inner(some))
	case 3:
		other := g.typ(1, false)
		return fmt.Sprintf("(%s %s %s)", inner(simple("->", some, simple("->", other, t))), inner(some), inner(other))
	case 4:
		return fmt.Sprintf("(case %s of True -> %s | False -> %s)", inner(tyBool), inner(t), inner(t))
	case 5:
		list, end := inner(simple("List", some)), inner(t)
		return g.with(some, func(x string) string {
			return g.named("rest", simple("List", some), func(rest string) string {
				return fmt.Sprintf("(case %s of Nil -> %s | Cons %s %s -> %s)", list, end, x, rest, inner(t))
			})
		})
	case 6:
		optional, none := inner(simple("Optional", some)), inner(t)
		return g.with(some, func(x string) string {
			return fmt.Sprintf("(case %s of Some %s -> %s | _ -> %s)", optional, x, inner(t), none)
		})
	case 7:
		either := inner(simple("P:Either", some, tyText))
		left := g.with(some, func(x string) string { return fmt.Sprintf("P:Either:Left %s -> %s", x, inner(t)) })
		right := g.with(tyText, func(x string) string { return fmt.Sprintf("P:Either:Right %s -> %s", x, inner(t)) })
		return fmt.Sprintf("(case %s of %s | %s)", either, left, right)
	case 8:
		return fmt.Sprintf("(P:Pair @%s @%s {second} %s)", some, t, inner(simple("P:Pair", some, t)))
	case 9:
		return fmt.Sprintf("((%s).x)", inner(simple("<>", t, some)))
	case 10:
		f := inner(simple("->", t, simple("->", some, t)))
		return fmt.Sprintf("(FOLDL @%s @%s %s %s %s)", some, t, f, inner(t), inner(simple("List", some)))
	case 11:
		f := inner(simple("->", some, simple("->", t, t)))
		return fmt.Sprintf("(FOLDR @%s @%s %s %s %s)", some, t, f, inner(t), inner(simple("List", some)))
	case 12:
		if g.pick(3) > 0 {
			return inner(t)
		}
		return fmt.Sprintf("(throw @%s @P:E (P:E { message = %s }))", t, inner(tyText))
	default:
		if g.pick(8) > 0 {
			return inner(t)
		}
		return fmt.Sprintf("(ERROR @%s %s)", t, inner(tyText))
	}
}

func (g *terms) trace(t ty, term string) string {
	g.traces++
	return fmt.Sprintf(`(TRACE @%s "%d" %s)`, t, g.traces, term)
}

// leaf makes a small term.
func (g *terms) leaf(t ty) string {
	switch t.con {
	case "Unit":
		return "()"
	case "Bool":
		return []string{"True", "False"}[g.pick(2)]
	case "Int64":
		return []string{"1", "-7", "12", "3", "8", "2", "0", strconv.Itoa(largest)}[g.pick(8)]
	case "Text":
		return []string{`""`, `"a"`, `"é"`}[g.pick(3)]
	case "List":
		return fmt.Sprintf("(Nil @%s)", t.args[0])
	case "Optional":
		return fmt.Sprintf("(None @%s)", t.args[0])
	case "P:Pair":
		return fmt.Sprintf("(P:Pair @%s @%s { first = %s, second = %s })", t.args[0], t.args[1], g.term(t.args[0], 0),
			g.term(t.args[1], 0))
	case "P:Either":
		return fmt.Sprintf("(P:Either:Left @%s @%s %s)", t.args[0], t.args[1], g.term(t.args[0], 0))
	case "<>":
		return fmt.Sprintf("<y = %s, x = %s>", g.term(t.args[1], 0), g.term(t.args[0], 0))
	case "->":
		return fmt.Sprintf(`(\(z: %s) -> %s)`, t.args[0], g.term(t.args[1], 0))
	case "Update":
		return fmt.Sprintf("(upure @%s %s)", t.args[0], g.term(t.args[0], 0))
	case "D:Cell":
		return "(D:Cell { owner = p, n = 1 })"
	default: // a contract id needs a create
		return fmt.Sprintf(`(ERROR @%s "no contract")`, t)
	}
}

// introduction makes a term with the constructors and operations of its type.
func (g *terms) introduction(t ty, depth int) string {
	inner := func(t ty) string { return g.term(t, depth) }
	switch t.con {
	case "Bool":
		return fmt.Sprintf("(%s @Int64 %s %s)", []string{"LESS", "EQUAL"}[g.pick(2)], inner(tyInt), inner(tyInt))
	case "Int64":
		operator := []string{"ADD_INT64", "SUB_INT64", "MUL_INT64", "DIV_INT64"}[g.pick(4)]
		return fmt.Sprintf("(%s %s %s)", operator, inner(tyInt), inner(tyInt))
	case "Text":
		if g.pick(2) == 0 {
			return fmt.Sprintf("(INT64_TO_TEXT %s)", inner(tyInt))
		}
		return fmt.Sprintf("(APPEND_TEXT %s %s)", inner(tyText), inner(tyText))
	case "List":
		return fmt.Sprintf("(Cons @%s [%s, %s] %s)", t.args[0], inner(t.args[0]), inner(t.args[0]), inner(t))
	case "Optional":
		return fmt.Sprintf("(Some @%s %s)", t.args[0], inner(t.args[0]))
	case "P:Pair":
		if g.pick(3) == 0 {
			pair := fmt.Sprintf("P:Pair @%s @%s", t.args[0], t.args[1])
			return fmt.Sprintf("(%s { %s with first = %s })", pair, inner(t), inner(t.args[0]))
		}
		return fmt.Sprintf("(P:Pair @%s @%s { first = %s, second = %s })", t.args[0], t.args[1], inner(t.args[0]),
			inner(t.args[1]))
	case "P:Either":
		side := g.pick(2)
		return fmt.Sprintf("(P:Either:%s @%s @%s %s)", []string{"Left", "Right"}[side], t.args[0], t.args[1],
			inner(t.args[side]))
	case "<>":
		if g.pick(3) == 0 {
			return fmt.Sprintf("< %s with y = %s >", inner(t), inner(t.args[1]))
		}
		return fmt.Sprintf("<y = %s, x = %s>", inner(t.args[1]), inner(t.args[0]))
	case "->":
		return g.with(t.args[0], func(x string) string {
			return fmt.Sprintf(`(\(%s: %s) -> %s)`, x, t.args[0], inner(t.args[1]))
		})
	case "D:Cell":
		return fmt.Sprintf("(D:Cell { owner = p, n = %s })", inner(tyInt))
	case "Update":
		return g.update(t.args[0], depth)
	default:
		return g.leaf(t)
	}
}

// update makes a term of type Update t.
func (g *terms) update(t ty, depth int) string {
	inner := func(t ty) string { return g.term(t, depth) }
	if action := g.action(t, depth); action != "" && g.pick(2) == 0 {
		return action
	}
	bound := []ty{tyInt, tyCellID, tyCellID, tyCell, tyUnit, g.typ(1, false)}[g.pick(6)]
	switch g.pick(6) {
	case 0:
		return fmt.Sprintf("(upure @%s %s)", t, inner(t))
	case 1:
		return fmt.Sprintf("(uembed_expr @%s %s)", t, inner(tyUpdate(t)))
	case 2:
		body := inner(tyUpdate(t))
		return fmt.Sprintf(`(try @%s %s catch e -> %s)`, t, body, g.handler(t, depth))
	case 3:
		before := inner(tyUpdate(bound))
		return g.with(bound, func(x string) string {
			other := inner(tyUpdate(tyInt))
			return g.with(tyInt, func(y string) string {
				return fmt.Sprintf("(ubind %s: %s <- %s; %s: Int64 <- %s in %s)", x, bound, before, y, other, inner(tyUpdate(t)))
			})
		})
	default:
		before := inner(tyUpdate(bound))
		return g.with(bound, func(x string) string {
			return fmt.Sprintf("(ubind %s: %s <- %s in %s)", x, bound, before, inner(tyUpdate(t)))
		})
	}
}

// handler makes the handler of an exception e.
func (g *terms) handler(t ty, depth int) string {
	before, hides := g.scope["e"]
	delete(g.scope, "e")
	defer func() {
		if hides {
			g.scope["e"] = before
		}
	}()
	always := fmt.Sprintf("Some @(Update %s) %s", t, g.term(tyUpdate(t), depth-1))
	if g.pick(2) == 0 {
		return always
	}
	return fmt.Sprintf("case from_any_exception @P:E e of Some e -> %s | None -> None @(Update %s)", always, t)
}

// action makes an update of the ledger with a result of type t; "" if there is none.
func (g *terms) action(t ty, depth int) string {
	id := func() string { return g.term(tyCellID, depth) }
	switch t.String() {
	case tyCellID.String():
		if g.pick(2) == 0 {
			return fmt.Sprintf("(create @D:Cell %s)", g.term(tyCell, depth))
		}
		return fmt.Sprintf("(exercise @D:Cell Bump %s %s)", id(), g.term(tyInt, depth))
	case tyCell.String():
		return fmt.Sprintf("(fetch_template @D:Cell %s)", id())
	case tyInt.String():
		return fmt.Sprintf("(exercise @D:Cell Peek %s ())", id())
	case tyText.String():
		return fmt.Sprintf("(exercise @D:Cell Careful %s %s)", id(), g.term(tyText, depth))
	case tyUnit.String():
		return fmt.Sprintf("(exercise @D:Cell Drop %s ())", id())
	default:
		return ""
	}
}

// randomPackage makes a package with a random update, which the holder of a D:Runner contract runs.
func randomPackage(t *rapid.T, depth int) string {
	g := &terms{T: t, scope: map[string]ty{"p": simple("Party"), "cell": tyCellID, "other": tyCellID}}
	result := g.typ(2, true)
	return packageOf(result, g.term(tyUpdate(result), depth))
}

// packageOf makes a package with an update, which the holder of a D:Runner contract runs.
func packageOf(result ty, update string) string {
	return strings.NewReplacer("$RESULT", result.String(), "$TERM", update).Replace(cells)
}

const cells = `
module D {
  record @serializable Other = { message: Text };
  exception Other = { message \(e: D:Other) -> D:Other {message} e };
  record @serializable Cell = { owner: Party, n: Int64 };
  template (this: Cell) = {
    signatories P:one (D:Cell {owner} this);
    observers Nil @Party;
    choice Bump (self) (by: Int64): ContractId D:Cell, controllers P:one (D:Cell {owner} this)
      to create @D:Cell (D:Cell { this with n = ADD_INT64 (D:Cell {n} this) by });
    choice @nonConsuming Peek (self) (u: Unit): Int64, controllers P:one (D:Cell {owner} this)
      to upure @Int64 (TRACE @Int64 "peek" (D:Cell {n} this));
    choice @nonConsuming Careful (self) (message: Text): Text, controllers P:one (D:Cell {owner} this)
      to ubind n: Int64 <- exercise @D:Cell Peek self ()
         in case LESS @Int64 n 3 of
              True -> throw @(Update Text) @P:E (P:E { message = message }) | False -> upure @Text message;
    choice @nonConsuming Undo (self) (by: Int64): Int64, controllers P:one (D:Cell {owner} this)
      to try @Int64 (ubind next: ContractId D:Cell <- exercise @D:Cell Bump self by;
                           n: Int64 <- exercise @D:Cell Peek next ()
           in throw @(Update Int64) @P:E (P:E { message = "undone" }))
         catch e -> Some @(Update Int64) (exercise @D:Cell Peek self ());
    choice Drop (self) (u: Unit): Unit, controllers P:one (D:Cell {owner} this) to upure @Unit ();
  };
  record @serializable Runner = { p: Party };
  template (this: Runner) = {
    signatories P:one (D:Runner {p} this);
    observers Nil @Party;
    choice @nonConsuming Run (self) (u: Unit): $RESULT, controllers P:one (D:Runner {p} this)
      to D:term (D:Runner {p} this);
  };
  val term: Party -> Update $RESULT = \(p: Party) ->
    ubind cell: ContractId D:Cell <- create @D:Cell (D:Cell { owner = p, n = 1 });
          other: ContractId D:Cell <- create @D:Cell (D:Cell { owner = p, n = 5 })
    in $TERM;
}
`
