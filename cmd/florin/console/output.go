package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"
)

// Output has the flags for the form of a command's output. Commands embed it.
type Output struct {
	JSON  bool `name:"json" help:"Print JSON, for programs." xor:"output" group:"Output"`
	Quiet bool `short:"q" help:"Print only names and ids, one a line." xor:"output" group:"Output"`
}

// Answer is the output of a command in all of its forms.
type Answer struct {
	// Data is the JSON.
	Data any
	// Text is for people, before the table.
	Text string
	// Table is for people; one without rows is left out.
	Table Table
	// Names are for --quiet.
	Names []string
}

// Table has a head and rows.
type Table struct {
	Head []string
	Rows [][]string
}

// Print prints an answer to standard output.
func (o Output) Print(answer Answer) error { return o.print(os.Stdout, Bold(os.Stdout), answer) }

// PrintTo prints an answer without bold text.
func (o Output) PrintTo(to io.Writer, answer Answer) error {
	return o.print(to, func(text string) string { return text }, answer)
}

func (o Output) print(to io.Writer, bold func(string) string, answer Answer) error {
	switch {
	case o.JSON:
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(answer.Data)
	case o.Quiet:
		return printLines(to, answer.Names)
	}
	if answer.Text != "" {
		if _, err := fmt.Fprintln(to, Text(answer.Text)); err != nil {
			return err
		}
	}
	if len(answer.Table.Rows) == 0 {
		return nil
	}
	lines := answer.Table.Lines()
	lines[0] = bold(lines[0])
	return printLines(to, lines)
}

// Note prints a remark to standard error, unless programs read the output.
func (o Output) Note(format string, args ...any) {
	if !o.JSON && !o.Quiet {
		fmt.Fprintln(os.Stderr, "florin: "+Text(fmt.Sprintf(format, args...)))
	}
}

func printLines(to io.Writer, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(to, strings.Join(lines, "\n"))
	return err
}

// Lines are the head and the rows, with aligned columns.
func (t Table) Lines() []string {
	const gap = 2
	var text strings.Builder
	writer := tabwriter.NewWriter(&text, 0, 0, gap, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		// A strings.Builder returns no error.
		_, _ = fmt.Fprintln(writer, strings.Join(cells(row), "\t"))
	}
	_ = writer.Flush()
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// cells keeps the text of other people, such as a sender's note, from moving columns or the terminal's cursor.
func cells(row []string) []string {
	safe := make([]string, len(row))
	for i, cell := range row {
		safe[i] = Plain(cell)
	}
	return safe
}

// Plain is a text without control characters, for a terminal.
func Plain(text string) string { return without(text, "") }

// Text is [Plain] for several lines, and keeps tabs.
func Text(lines string) string { return without(lines, "\n\t") }

// without replaces control characters and characters that change the writing direction by dots, except those to keep.
func without(text, keep string) string {
	return strings.Map(func(r rune) rune {
		control := r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		if control && !strings.ContainsRune(keep, r) {
			return '·'
		}
		return r
	}, text)
}

// Printf prints a [Text] for people to standard output. Do not use it for output that programs read.
func Printf(format string, args ...any) { fmt.Fprint(os.Stdout, Text(fmt.Sprintf(format, args...))) }

// Println prints lines for people to standard output, as [Text].
func Println(lines string) { fmt.Fprintln(os.Stdout, Text(lines)) }

// Bold makes text bold on a terminal, unless NO_COLOR is set (https://no-color.org).
func Bold(to *os.File) func(string) string {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(to.Fd())) {
		return func(text string) string { return text }
	}
	return func(text string) string { return "\x1b[1m" + text + "\x1b[0m" }
}
