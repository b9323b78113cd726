package fault_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

// contract: error-grpc, error-retry, error-definite
func TestCategory_FollowsTheErrorModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		category fault.Category
		grpc     int32
		http     int
		retry    string
		redacted bool
	}{
		{1, 14, 503, "1 second", false},
		{2, 10, 409, "1 second", false},
		{3, 4, 504, "1 second", false},
		{4, 13, 500, "", true},
		{5, 3, 400, "", false},
		{6, 16, 401, "", true},
		{7, 7, 403, "", true},
		{8, 3, 400, "", false},
		{9, 9, 400, "", false},
		{10, 6, 409, "", false},
		{11, 5, 404, "", false},
		{12, 11, 400, "1 second", false},
		{13, 2, 500, "", true},
		{14, 12, 501, "", true},
		{0, 2, 500, "", true},
		{15, 2, 500, "", true},
	} {
		t.Run(c.category.String(), func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.grpc, c.category.GRPC())
			require.Equal(t, c.http, c.category.HTTP())
			require.Equal(t, c.retry, c.category.Retry())
			require.Equal(t, c.redacted, c.category.Redacted())
		})
	}
}

func TestCodes_AreWellFormedAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, code := range fault.Codes() {
		require.Regexp(t, `^[A-Z]+(_[A-Z]+)*$`, code.ID)
		require.False(t, seen[code.ID], "%s is listed twice", code.ID)
		seen[code.ID] = true
		require.GreaterOrEqual(t, code.Category, fault.TransientServerFailure, code.ID)
		require.LessOrEqual(t, code.Category, fault.InvalidGivenCurrentSystemStateSeekAfterEnd, code.ID)
		require.Regexp(t, `^[A-Z].*\.$`, code.Hint, "%s needs a hint that is a sentence", code.ID)

		found, ok := fault.Lookup(code.ID)
		require.True(t, ok)
		require.Equal(t, code, found)
		made := code.New("because of %d", 7)
		require.Equal(t, code.ID+": because of 7", made.Error())
		require.Equal(t, code.Hint, made.Hint)
		require.Equal(t, code.HTTP(), made.HTTP())
		require.Equal(t, code.Redacted(), made.Redacted())
	}
	_, ok := fault.Lookup("LOCKED_CONTRACTS")
	require.False(t, ok)
}

// TestCodes_ListEveryVariable reads the source, so that a new code cannot be left out of Codes, and checks that each
// variable is named after its code.
func TestCodes_ListEveryVariable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("codes_*.go")
	require.NoError(t, err)
	listed := make(map[string]bool)
	for _, code := range fault.Codes() {
		listed[code.ID] = true
	}
	declared := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok {
				return true
			}
			literal := spec.Values[0].(*ast.CompositeLit)
			if _, isCode := literal.Type.(*ast.Ident); !isCode {
				return true // the list itself
			}
			declared++
			id := strings.Trim(literal.Elts[0].(*ast.BasicLit).Value, `"`)
			require.True(t, listed[id], "%s is not listed at the end of %s", id, file)
			require.Equal(t, strings.ReplaceAll(id, "_", ""), strings.ToUpper(spec.Names[0].Name))
			return true
		})
	}
	require.Equal(t, len(listed), declared)
}

func TestCodes_ReturnsACopy(t *testing.T) {
	t.Parallel()
	fault.Codes()[0] = fault.Code{}
	require.NotEmpty(t, fault.Codes()[0].ID)
}

func TestCode_MayDifferFromItsCategory(t *testing.T) {
	t.Parallel()
	require.Equal(t, 413, fault.ListLimitReached(201, 200).HTTP())
	require.Equal(t, int32(10), fault.ListLimitReached(201, 200).Category.GRPC())
	require.True(t, fault.DisclosedContractsConflictingPayloads.Redacted())
	require.False(t, fault.LocalVerdictInactiveContracts.Redacted())
}

func TestMatches_UnwrapsErrors(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("reading: %w", fault.ContractNotFoundWithID("00ab"))
	require.True(t, fault.ContractNotFound.Matches(err))
	require.False(t, fault.ContractNotActive.Matches(err))
	require.False(t, fault.ContractNotFound.Matches(errors.New("CONTRACT_NOT_FOUND")))
	require.False(t, fault.ContractNotFound.Matches(nil))
}
