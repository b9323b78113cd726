package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// tries makes random updates of type Int64 that create, use and consume cells, throw, and catch.
type tries struct {
	*rapid.T
	names int
}

func (g *tries) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.T, "choice") }

// block makes a block of updates; cells are the variables of the cells that it may use.
func (g *tries) block(depth int, cells []string) string {
	cells = slices.Clone(cells)
	var steps []string
	step := func(typ, update string) string {
		g.names++
		name := fmt.Sprintf("x%d", g.names)
		steps = append(steps, fmt.Sprintf("%s: %s <- %s", name, typ, update))
		return name
	}
	for range g.pick(4) + 1 {
		i := g.pick(len(cells))
		switch kind := g.pick(9); {
		case kind == 0:
			cells = append(cells, step(tyCellID.String(), "create @D:Cell (D:Cell { owner = p, n = 2 })"))
		case kind == 1 && len(cells) > 1: // usually the block does not use a consumed cell again
			next := step(tyCellID.String(), fmt.Sprintf("exercise @D:Cell Bump %s 1", cells[i]))
			cells[i] = next
		case kind == 2 && len(cells) > 1:
			step("Unit", fmt.Sprintf("exercise @D:Cell Drop %s ()", cells[i]))
			cells = slices.Delete(cells, i, i+1)
		case kind == 3:
			step("D:Cell", "fetch_template @D:Cell "+cells[i])
		case kind == 4:
			step("Int64", fmt.Sprintf("exercise @D:Cell Undo %s 3", cells[i]))
		case kind < 8 && depth > 0:
			step("Int64", g.try(depth-1, cells))
		default:
			step("Int64", fmt.Sprintf("exercise @D:Cell Peek %s ()", cells[i]))
		}
	}
	end := "upure @Int64 1"
	if g.pick(2) == 0 {
		thrown := []string{"P:E", "P:E", "D:Other"}[g.pick(3)]
		end = fmt.Sprintf(`throw @(Update Int64) @%s (%s { message = "thrown" })`, thrown, thrown)
	}
	return fmt.Sprintf("(ubind %s in %s)", strings.Join(steps, "; "), end)
}

// try makes a block with a handler of its exceptions, which is sometimes a block too.
func (g *tries) try(depth int, cells []string) string {
	body, handler := g.block(depth, cells), "Some @(Update Int64) (upure @Int64 2)"
	if g.pick(3) == 0 {
		handler = "Some @(Update Int64) " + g.block(depth, cells)
	}
	if g.pick(3) == 0 {
		handler = fmt.Sprintf("case from_any_exception @P:E e of Some x -> %s | None -> None @(Update Int64)", handler)
	}
	return fmt.Sprintf("(try @Int64 %s catch e -> %s)", body, handler)
}
