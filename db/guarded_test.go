package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unguarded are the functions that change users without asking whether that is within the caller's reach, and why.
var unguarded = map[string]string{
	"api/walletapi/validator:LetOperatorActAs": "gives the operator's own user the right to act as the party of a wallet",
	"api/walletapi/onboarding:offboardUser":    "is for operators, whose reach has no bound",
	"api/walletapi/onboarding:closeWallet":     "is for operators, whose reach has no bound",
}

// changesUsers are the methods of the database that change a user or give it a right; the last argument is the guard.
var changesUsers = map[string]bool{"UpdateUser": true, "DeleteUser": true, "GrantRights": true, "RevokeRights": true}

// TestUsersAreChangedWithinReach reads the source of all who change users or give them rights: each says how far the
// caller's reach goes, or is on the list.
func TestUsersAreChangedWithinReach(t *testing.T) {
	t.Parallel()
	used, checked := map[string]bool{}, 0
	eachFunction(t, "..", func(folder string, function *ast.FuncDecl) {
		if folder == "db" || strings.HasPrefix(folder, "api/apitest") {
			return
		}
		name := folder + ":" + function.Name.Name
		ast.Inspect(function.Body, func(node ast.Node) bool {
			guarded, changes := guards(node)
			switch {
			case !changes:
			case unguarded[name] != "":
				used[name] = true
			default:
				assert.True(t, guarded, "%s changes a user, or gives it a right: pass WithinReach, or say why not", name)
				checked++
			}
			return true
		})
	})
	require.Equal(t, 7, checked, "or nothing was looked at")
	require.Len(t, used, len(unguarded))
}

// guards reports whether a node changes users, and whether it says what guards them.
func guards(node ast.Node) (guarded, changes bool) {
	switch node := node.(type) {
	case *ast.CallExpr:
		method, ok := node.Fun.(*ast.SelectorExpr)
		if !ok || !changesUsers[method.Sel.Name] {
			return false, false
		}
		if record, ok := method.X.(*ast.SelectorExpr); !ok || record.Sel.Name != "record" {
			return false, false
		}
		guard, ok := node.Args[len(node.Args)-1].(*ast.CallExpr)
		return ok && isNamed(guard.Fun, "WithinReach"), true
	case *ast.CompositeLit:
		of, ok := node.Type.(*ast.SelectorExpr)
		if !ok || of.Sel.Name != "Grant" || !isNamed(of.X, "db") {
			return false, false
		}
		for _, field := range node.Elts {
			if pair, ok := field.(*ast.KeyValueExpr); ok && isNamed(pair.Key, "Guard") {
				return true, true
			}
		}
		return false, true
	default:
		return false, false
	}
}

func isNamed(expression ast.Expr, name string) bool {
	ident, ok := expression.(*ast.Ident)
	return ok && ident.Name == name
}

// TestUsersAreChangedUnderTheirLock reads the source of this package: whatever changes a user or its rights has locked
// the user, which is where guards are asked.
func TestUsersAreChangedUnderTheirLock(t *testing.T) {
	t.Parallel()
	writes := map[string]bool{"grant": true, "storeUser": true, "DeleteUserRights": true}
	locks := map[string]bool{"lockUser": true, "mayGet": true}
	exempt := map[string]string{
		"CreateUser": "makes the user", "giveWallet": "is given a user that its callers have locked, or made",
	}
	found := 0
	eachFunction(t, ".", func(_ string, function *ast.FuncDecl) {
		writing, locked := false, false
		ast.Inspect(function.Body, func(node ast.Node) bool {
			if call, ok := node.(*ast.SelectorExpr); ok {
				writing, locked = writing || writes[call.Sel.Name], locked || locks[call.Sel.Name]
			}
			return true
		})
		if writing && exempt[function.Name.Name] == "" {
			found++
			assert.True(t, locked, "%s changes a user that it has not locked", function.Name.Name)
		}
	})
	require.Equal(t, 5, found, "or nothing was looked at")
}

// eachFunction visits the functions of the source below a folder, tests and what is generated left out.
func eachFunction(t *testing.T, root string, visit func(folder string, function *ast.FuncDecl)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || strings.HasSuffix(folder, "dbgen") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
				visit(filepath.ToSlash(folder), function)
			}
		}
		return nil
	}))
}
