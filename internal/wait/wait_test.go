package wait_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/wait"
)

func TestFor_WaitsAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	require.NoError(t, wait.For(t.Context(), time.Millisecond))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, wait.For(ended, time.Hour), context.Canceled)
	require.ErrorIs(t, wait.For(ended, 0), context.Canceled)
}

// All code but tests must pause with this package. In a node, every other wait must also end with a context.
func TestSource_EveryWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	seen := 0
	for directory, node := range map[string]bool{
		"activities": true, "api": true, "audit": true, "cmd": true, "coin": true, "db": true, "ledger": true, "node": true,
		"packages": true, "wallet": true, "worker": true, "workflows": true,
		"client": false, "devnet": false, "test": false, "tools": false,
	} {
		err := filepath.WalkDir(filepath.Join("..", "..", directory), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			seen++
			for _, problem := range waitsIn(t, path, node) {
				t.Error(problem)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, seen, 300)
}

// waitsIn lists the wrong waits of a file, which is part of a node or of a tool.
func waitsIn(t *testing.T, path string, ofNode bool) (problems []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	heard := map[ast.Stmt]bool{} // in a select
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CommClause:
			heard[node.Comm] = true
		case *ast.ExprStmt:
			if ofNode && isDone(node.X) && !heard[node] {
				problems = append(problems, fmt.Sprintf("%s: a pause by itself: use wait.For", files.Position(node.Pos())))
			}
		case *ast.SelectStmt:
			if onlyPauses(node) {
				problems = append(problems, fmt.Sprintf("%s: a pause by itself: use wait.For", files.Position(node.Pos())))
			}
			if ofNode && !endsWithContext(node) {
				problems = append(problems,
					fmt.Sprintf("%s: a select that blocks needs a case for the end of a context", files.Position(node.Pos())))
			}
		}
		return true
	})
	return problems
}

// endsWithContext reports whether a select does not block, or hears the end of a context.
func endsWithContext(statement *ast.SelectStmt) bool {
	for _, clause := range statement.Body.List {
		clause, ok := clause.(*ast.CommClause)
		if !ok || clause.Comm == nil { // the default
			return true
		}
		if received, ok := clause.Comm.(*ast.ExprStmt); ok && isDone(received.X) {
			return true
		}
	}
	return false
}

// onlyPauses reports whether a select waits for nothing but timers and the end of contexts.
func onlyPauses(statement *ast.SelectStmt) bool {
	timers := 0
	for _, clause := range statement.Body.List {
		clause, ok := clause.(*ast.CommClause)
		if !ok {
			return false
		}
		received, ok := clause.Comm.(*ast.ExprStmt)
		if !ok {
			return false
		}
		if isTimer(received.X) {
			timers++
		} else if !isDone(received.X) {
			return false
		}
	}
	return timers > 0
}

// isTimer reports whether an expression receives from a timer or a ticker.
func isTimer(expression ast.Expr) bool {
	receive, ok := expression.(*ast.UnaryExpr)
	if !ok || receive.Op != token.ARROW {
		return false
	}
	selector, ok := receive.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "C"
}

// isDone reports whether an expression receives from the Done channel of something.
func isDone(expression ast.Expr) bool {
	receive, ok := expression.(*ast.UnaryExpr)
	if !ok || receive.Op != token.ARROW {
		return false
	}
	call, ok := receive.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Done"
}
