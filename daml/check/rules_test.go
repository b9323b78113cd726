package check_test

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/check"
)

func TestRules_HaveATestThatBreaksThem(t *testing.T) {
	t.Parallel()
	rules := map[check.Rule]bool{check.Steps: true, check.Depth: true} // by the tests of limits
	for _, j := range judgements() {
		rules[j.rule] = true
	}
	for _, b := range breakages() {
		rules[b.rule] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	require.NoError(t, err)
	declared := 0
	goast.Inspect(file, func(node goast.Node) bool {
		literal, ok := node.(*goast.BasicLit)
		if !ok {
			return true
		}
		rule, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		require.True(t, rules[check.Rule(rule)], "rule %s", rule)
		declared++
		return true
	})
	require.Len(t, rules, declared)
}
