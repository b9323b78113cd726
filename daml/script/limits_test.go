package script_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
	"github.com/florinledger/florin/ledger/fault"
)

// heavy is a module with contracts that ledgers accept, but that exceed the limits here.
const heavy = `
module X {
	record Endless = { owner: Party };
	template (this: Endless) = {
		precondition X:loop True;
		signatories Cons @Party [X:Endless {owner} this] (Nil @Party);
		observers Nil @Party;
	};
	val loop: Bool -> Bool = \(b: Bool) -> X:loop b;
	val endless: Party -> Unit = \(p: Party) -> H:meta (H:Command:Create (H:Create {
		argC = A:AnyTemplate { getAnyTemplate = to_any @X:Endless (X:Endless { owner = p }) } }));
}`

// runWith runs the script of an expression, with other modules in its package.
func runWith(ctx context.Context, t *testing.T, modules, body string, options script.Options) script.Report {
	t.Helper()
	packages, main := scripttest.Packages(t, modules+`
		module M { val test: LL:Script Unit = H:script (\(u: Unit) -> `+body+`); }`)
	suite, err := script.NewSuite(packages)
	require.NoError(t, err)
	return suite.Run(ctx, script.Find(main, packages)[0], options)
}

// tryCommands makes a question that catches the failed questions of a script, and continues.
func tryCommands(body string) string {
	return `H:ask "TryCommands" 1 (H:Act { act = H:script (\(u: Unit) -> ` + body + `), dummy = () }) H:done`
}

func TestSubmit_FailsTheScriptOnEngineLimits(t *testing.T) {
	t.Parallel()
	limits := engine.DefaultLimits()
	limits.Steps = 100_000
	for command, code := range map[string]fault.Code{
		"X:endless": fault.InterpretationTimeExceeded,
	} {
		for _, behaviour := range []string{"mustFail", "try", "mustSucceed"} {
			t.Run(command+" "+behaviour, func(t *testing.T) {
				t.Parallel()
				body := fmt.Sprintf(`H:party "alice" (\(alice: Party) -> H:expect H:%s alice (%s alice) H:done)`,
					behaviour, command)
				for _, text := range []string{body, tryCommands(body)} {
					report := runWith(t.Context(), t, heavy, text, script.Options{Limits: limits})
					require.NotNil(t, report.Failure)
					require.Equal(t, code.ID, report.Failure.Code, report.Failure.Message)
					require.Equal(t, "Submit", report.Failure.Question)
				}
			})
		}
	}
}

// countingContext counts the calls of Err: a longer run makes more.
type countingContext struct {
	context.Context //nolint:containedctx // a context that counts
	times           atomic.Int64
}

func (l *countingContext) Err() error {
	l.times.Add(1)
	return l.Context.Err()
}

func TestCatch_SkipsTheExplanation(t *testing.T) {
	t.Parallel()
	const spin = `module X {
		val thrown: Int64 -> Unit = \(n: Int64) -> case EQUAL @Int64 n 0 of
			True -> throw @Unit @N:E (N:E { message = "thrown" }) | False -> X:thrown (SUB_INT64 n 1);
		val status: Int64 -> Unit = \(n: Int64) -> case EQUAL @Int64 n 0 of
			True -> H:ask "FailWithStatus" 1 (H:Status { status = F:FailureStatus { errorId = "ID", category = 9,
				message = "why", meta = TEXTMAP_EMPTY @Text } }) H:done
			| False -> X:status (SUB_INT64 n 1);
	}`
	for catch, body := range map[string]string{"Catch": "X:thrown 200000", "TryFailureStatus": "X:status 200000"} {
		looks := func(body string) (*script.Failure, int64) {
			ctx := &countingContext{Context: t.Context()}
			report := runWith(ctx, t, spin, body, script.Options{})
			return report.Failure, ctx.times.Load()
		}
		reported, explained := looks(body)
		require.NotNil(t, reported)
		failure, caught := looks(
			`H:ask "` + catch + `" 1 (H:Act { act = \(u: Unit) -> H:script (\(u: Unit) -> ` + body + `), dummy = () }) H:done`)
		require.Nil(t, failure)
		require.Less(t, caught, explained*3/4, "an explanation costs the run again")
	}
}

// The library runs a script that the script's own code returned. If that is the whole script, the failure shows the
// place of the definition.
func TestFailure_ShowsTheLineThatAborts(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`H:script (\(u: Unit) -> H:party "alice" (\(p: Party) -> LL:run (loc (M, 7, 2, 7, 14) LL:abort "no luck")))`,
		`H:script (\(u: Unit) -> H:party "alice" (\(p: Party) -> LL:run (loc (M, 7, 2, 7, 14) X:fails "no luck")))`,
		`LL:abort "no luck"`,
	} {
		packages, main := scripttest.Packages(t, `
			module X { val fails: Text -> LL:Script Unit = \(s: Text) -> LL:abort s; }
			module M { val test: LL:Script Unit = `+body+`; }`)
		begins := ast.Position{Line: 7, Column: 2}
		main.Module("M").Values[0].Location = ast.Location{Package: main.ID, Module: "M", Start: begins}
		suite, err := script.NewSuite(packages)
		require.NoError(t, err)
		failure := suite.Run(t.Context(), script.Find(main, packages)[0], script.Options{}).Failure
		require.NotNil(t, failure)
		require.Contains(t, failure.Message, "no luck")
		require.NotEmpty(t, failure.Calls)
		require.Equal(t, "M:8:3", failure.Calls[len(failure.Calls)-1].At.String(), "%+v", failure.Calls)
	}
}

func TestScript_ReservesItsMemory(t *testing.T) {
	t.Parallel()
	const texts = `module X { val double: Int64 -> Text -> Text = \(n: Int64) (t: Text) ->
		case LESS_EQ @Int64 n 0 of True -> t | False -> X:double (SUB_INT64 n 1) (APPEND_TEXT t t); }`
	for _, wrap := range []func(string) string{func(body string) string { return body }, tryCommands} {
		var total, refusal int64
		report := runWith(t.Context(), t, texts, wrap(`H:say (X:double 30 "x") (H:done ())`), script.Options{
			More: func(bytes int64) bool {
				if total+bytes > 256<<20 {
					refusal = bytes
					return false
				}
				total += bytes
				return true
			},
		})
		require.NotNil(t, report.Failure)
		require.True(t, report.Failure.Starved)
		require.Greater(t, total, int64(64<<20))
		require.GreaterOrEqual(t, refusal, int64(64<<20), "a large value is one request")
	}
}

func TestReport_KeepsTheLastMessages(t *testing.T) {
	t.Parallel()
	report := runWith(t.Context(), t, `module X { val count: Int64 -> Unit = \(n: Int64) ->
		case EQUAL @Int64 n 0 of True -> H:done () | False -> H:say (INT64_TO_TEXT n) (X:count (SUB_INT64 n 1)); }`,
		`X:count 11000`, script.Options{})
	require.Nil(t, report.Failure)
	require.Len(t, report.Messages, 10_000)
	require.Equal(t, 1_000, report.Omitted)
	require.Equal(t, "1001", report.Messages[0].Text)
	require.Equal(t, "11000", report.Messages[len(report.Messages)-1].Text)
}

func TestCatch_DoesNotCatchTheEndOfARun(t *testing.T) {
	t.Parallel()
	for body, message := range map[string]string{
		`H:forever ()`:                             "asks more than 10 questions",
		`H:ask "Guess" 1 (H:Nothing { }) H:done`:   "is not known",
		`H:ask "SetTime" 1 (H:Nothing { }) H:done`: "lacks the field time",
	} {
		report := runWith(t.Context(), t, "", tryCommands(body), script.Options{Questions: 10})
		require.NotNil(t, report.Failure, body)
		require.Contains(t, report.Failure.Message, message)
	}
	for _, body := range []string{`H:forever ()`, tryCommands(`H:forever ()`)} {
		calls := 0
		report := runWith(t.Context(), t, "", body, script.Options{More: func(int64) bool {
			calls++
			return calls < 10
		}})
		require.NotNil(t, report.Failure)
		require.True(t, report.Failure.Starved)
		require.Equal(t, "the script exceeds its memory limit", report.Failure.Message)
		require.Equal(t, 10, calls, "no request follows a refusal")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	report := runWith(ctx, t, "", tryCommands(`H:forever ()`), script.Options{Questions: 1 << 40})
	require.NotNil(t, report.Failure)
	require.Contains(t, report.Failure.Message, context.DeadlineExceeded.Error())
}
