package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unguarded are the functions that may change users without a guard, and why.
var unguarded = map[string]string{
	"api/walletapi/validator:GiveOperator":  "gives the operator's own user the right to act as the party of a wallet",
	"api/walletapi/onboarding:offboardUser": "is for operators, whose reach has no bound",
	"api/walletapi/onboarding:closeWallet":  "is for operators, whose reach has no bound",
}

// changesUsers are the methods of the database that change a user or give it a right. The last argument is the guard.
var changesUsers = map[string]bool{"UpdateUser": true, "DeleteUser": true, "GrantRights": true, "RevokeRights": true}

// The test reads the source: every function that changes users or gives them rights passes a guard, or is on the list.
func TestGuard_ChangesOfUsersStateTheReach(t *testing.T) {
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
				assert.True(t, guarded, "%s changes a user or gives it a right: pass WithinReach, or add it to unguarded", name)
				checked++
			}
			return true
		})
	})
	require.Equal(t, 7, checked, "the test must find the functions")
	require.Len(t, used, len(unguarded))
}

// guards reports whether a node changes users, and whether it passes a guard.
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

// The test reads the source of this package: every function that changes a user or its rights locks the user first,
// because the lock calls the guards.
func TestGuard_ChangesOfUsersLockTheUser(t *testing.T) {
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
	require.Equal(t, 5, found, "the test must find the functions")
}

// outsideTransactions are the functions that write without a [Tx], which does not check the caller, and why.
var outsideTransactions = map[string]string{
	"MoveAuditCheckpoint": "is the node's own, of what it has audited",
	"PauseAutomation":     "follows a Schedule, which was paused before",
	"WithdrawOnboarding":  "is for workflows", "ExpireOnboarding": "is for workflows",
	"takeIdempotencyKey": "comes before the endpoint is called", "HoldIdempotencyKey": "is around an endpoint",
	"ReturnIdempotencyKey": "is around an endpoint", "AnswerIdempotencyKey": "is around an endpoint",
	"insertSealKey":         "makes a key of the ledger, for nobody",
	"ForgetIdempotencyKeys": "is the node's own", "noteKey": "is of the key of a request that is being served",
	"TakeDueLifecycles": "is for workers", "TakeDueWebhooks": "is for workers", "SettleWebhooks": "is for workers",
	"InsertNode": "makes the node", "Leave": "is of the process",
	"see":          "is of the process",
	"pruneUpdates": "deletes what is behind the pruned offset", "pruneCompletions": "deletes what is behind it",
	"pruneContracts": "deletes what is behind it",
}

// The test reads the source of this package: statements that write run in a [Tx], which checks the caller, or are on
// the list.
func TestGuard_WritesAreMethodsOfTx(t *testing.T) {
	t.Parallel()
	writes := writingStatements(t)
	used := map[string]bool{}
	inTransaction := 0
	eachFunction(t, ".", func(_ string, function *ast.FuncDecl) {
		ast.Inspect(function.Body, func(node ast.Node) bool {
			statement, ok := node.(*ast.SelectorExpr)
			if !ok || !writes[statement.Sel.Name] || !isQueries(statement.X) {
				return true
			}
			of, ok := statement.X.(*ast.SelectorExpr)
			switch {
			case ok && (isNamed(of.X, "t") || isNamed(of.X, "tx")):
				inTransaction++
			default:
				used[function.Name.Name] = true
				assert.NotEmpty(t, outsideTransactions[function.Name.Name],
					"%s writes with %s: do it in InTx, or add it to outsideTransactions", function.Name.Name, statement.Sel.Name)
			}
			return true
		})
	})
	require.Greater(t, inTransaction, 50, "the test must find the functions")
	require.Len(t, used, len(outsideTransactions), "the list has a function that does not exist")
}

// isQueries reports whether an expression is the generated queries, as a field or a variable.
func isQueries(expression ast.Expr) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "queries" || isNamed(expression, "queries")
}

// writingStatements are the names of the statements that write.
func writingStatements(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("queries/*.sql")
	require.NoError(t, err)
	names := regexp.MustCompile(`-- name: (\w+) `)
	writing := regexp.MustCompile(`\b(INSERT INTO|DELETE FROM)\b|\bUPDATE\s+\w+(\s+AS)?(\s+\w+)?\s+SET\b`)
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		parts := names.Split(string(text), -1)
		for i, name := range names.FindAllStringSubmatch(string(text), -1) {
			if writing.MatchString(parts[i+1]) {
				found[name[1]] = true
			}
		}
	}
	require.Greater(t, len(found), 50)
	return found
}

func TestGuard_OneFunctionLocksUsers(t *testing.T) {
	t.Parallel()
	var by []string
	eachFunction(t, ".", func(_ string, function *ast.FuncDecl) {
		ast.Inspect(function.Body, func(node ast.Node) bool {
			if call, ok := node.(*ast.SelectorExpr); ok && call.Sel.Name == "LockUser" {
				by = append(by, function.Name.Name)
			}
			return true
		})
	})
	require.Equal(t, []string{"holdUser"}, by)
}

// eachFunction visits the functions of the source below a folder, without tests and generated code.
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
