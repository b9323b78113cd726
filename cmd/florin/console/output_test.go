package console

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutput_PrintsTablesJSONAndQuietNames(t *testing.T) {
	t.Parallel()
	answer := Answer{
		Data: map[string]any{"parties": []string{"a&b"}}, Text: "two of them",
		Table: Table{Head: []string{"NAME", "NOTE"}, Rows: [][]string{
			{"alice", "ten\x1b[2J\tof\nthem"}, {"bob-the-builder", ""},
		}},
		Names: []string{"alice", "bob-the-builder"},
	}
	loud := func(text string) string { return "<" + text + ">" }
	for name, test := range map[string]struct {
		output   Output
		expected string
	}{
		"people":   {Output{}, "two of them\n<NAME             NOTE>\nalice            ten·[2J·of·them\nbob-the-builder\n"},
		"programs": {Output{JSON: true}, "{\n  \"parties\": [\n    \"a&b\"\n  ]\n}\n"},
		"scripts":  {Output{Quiet: true}, "alice\nbob-the-builder\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			require.NoError(t, test.output.print(&text, loud, answer))
			require.Equal(t, test.expected, text.String())
		})
	}
	var nothing strings.Builder
	require.NoError(t, Output{}.print(&nothing, loud, Answer{Table: Table{Head: []string{"NAME"}}}))
	require.NoError(t, Output{Quiet: true}.print(&nothing, loud, Answer{Text: "none"}))
	require.Empty(t, nothing.String())
}

func TestNearest_IgnoresCase(t *testing.T) {
	t.Parallel()
	names := []string{"testIdle", "TestIsDevNet", "testisdevnet", "balance"}
	for word, expected := range map[string]string{
		"testdevnet": "TestIsDevNet", "TestIsDevNet": "TestIsDevNet", "testisdevnet": "testisdevnet", "BALANCE": "balance",
		"ballance": "balance", "something else": "", "": "",
	} {
		nearest, ok := Nearest(word, names)
		require.Equal(t, expected != "", ok, word)
		if ok {
			require.Equal(t, expected, nearest)
		}
	}
}

func TestNearest_AllowsOneLetterInThree(t *testing.T) {
	t.Parallel()
	names := []string{"--hosts", "--note", "--timeout", "new", "bob", "init", "audit", "all"}
	for word, expected := range map[string]string{
		"--bogus": "", "--not": "--note", "--host": "--hosts", "--tmeout": "--timeout", "--time": "", "--x": "", "-": "",
		"nwe": "new", "bbo": "bob", "inti": "init", "init": "init", "nut": "", "edits": "", "a": "", "--": "", "al": "all",
	} {
		nearest, ok := Nearest(word, names)
		require.Equal(t, expected != "", ok, "%s is near to %s", word, nearest)
		if ok {
			require.Equal(t, expected, nearest)
		}
	}
}

func TestExitCode_FollowsTheError(t *testing.T) {
	t.Parallel()
	require.Equal(t, ExitDone, CodeOf(nil))
	require.Equal(t, ExitFailed, CodeOf(errors.New("broken")))
	denied := Fail(ExitDenied, "ask an administrator", "user %s may not", "alice")
	require.Equal(t, ExitDenied, CodeOf(fmt.Errorf("send: %w", denied)))
	require.Equal(t, "user alice may not\n        ask an administrator", denied.Error())
	require.Len(t, ExitCodes(), int(ExitTooLate)+1)
}

func TestOutput_EscapesControlCharacters(t *testing.T) {
	t.Parallel()
	hostile := "a\x1b]0;title\x07\x1b[2J\u009b31m\u202eb"
	require.Equal(t, "a·]0;title··[2J·31m·b", Plain(hostile))
	require.Equal(t, "a·b·c", Plain("a\nb\tc"))
	require.Equal(t, "a·]0;title··[2J·31m·b\n\tsecond", Text(hostile+"\n\tsecond"))
	var text bytes.Buffer
	require.NoError(t, Output{}.print(&text, strings.ToUpper, Answer{Text: hostile}))
	require.NotContains(t, text.String(), "\x1b")
}
