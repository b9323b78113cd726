package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
)

// runScript runs the script of an expression.
func runScript(t *testing.T, body string) script.Report {
	t.Helper()
	packages, main := scripttest.Packages(t,
		"module M { val test: LL:Script Unit = H:script (\\(u: Unit) ->\n"+body+"); }")
	suite, err := script.NewSuite(packages)
	require.NoError(t, err)
	found := script.Find(main, packages)
	require.Len(t, found, 1)
	report := suite.Run(t.Context(), found[0], script.Options{})
	require.Equal(t, report, suite.Run(t.Context(), found[0], script.Options{}), "two runs are the same")
	return report
}

// passes runs a script that must pass, and returns its messages.
func passes(t *testing.T, body string) (script.Report, []string) {
	t.Helper()
	report := runScript(t, body)
	if report.Failure != nil {
		t.Fatalf("%+v", *report.Failure)
	}
	var messages []string
	for _, message := range report.Messages {
		messages = append(messages, message.Text)
	}
	return report, messages
}
