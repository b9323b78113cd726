package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ExitCode is the exit code of a command. docs/cli.md has a table of them.
type ExitCode int

// The exit codes of all commands.
const (
	// ExitDone: the command succeeded.
	ExitDone ExitCode = 0
	// ExitFailed: the node refused, or something on this machine failed.
	ExitFailed ExitCode = 1
	// ExitUsage: the command line is wrong; nothing was done.
	ExitUsage ExitCode = 2
	// ExitNoNode: no node answers: none runs, it still starts, or the address is wrong.
	ExitNoNode ExitCode = 3
	// ExitDenied: the node refuses the token, or its user lacks the right.
	ExitDenied ExitCode = 4
	// ExitTooLate: the time of --timeout was over.
	ExitTooLate ExitCode = 5
	// ExitInterrupted: SIGINT ended the command; the code is that of shells.
	ExitInterrupted ExitCode = 130
	// ExitTerminated: SIGTERM ended the command; the code is that of shells.
	ExitTerminated ExitCode = 143
)

// ExitCodes lists the codes with their meanings.
func ExitCodes() []string {
	return []string{
		"done", "failed: the node refused, or something on this machine did", "the command line is wrong; nothing was done",
		"no node answers: none runs, it still starts, or the address is wrong",
		"the token is refused, or its user lacks the right", "the time of --timeout was over",
	}
}

// Error ends a command: the first line is the error, the second a hint.
type Error struct {
	Code ExitCode
	Err  error
	// Hint says what to do; empty if Err says it.
	Hint string
}

// Error returns both lines.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + "\n" + hintIndent + e.Hint
}

// hintIndent is the width of "florin: ", so that the second line begins below the text of the first.
const hintIndent = "        "

// Unwrap returns the error without the hint.
func (e *Error) Unwrap() error { return e.Err }

// Fail makes an [Error] of a code, a hint and a formatted text.
func Fail(code ExitCode, hint, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...), Hint: hint}
}

// FailAll joins the failures of a command that continued after a failure: it has the code and the hint of the first,
// and a line for each. Without a failure it returns nil.
func FailAll(failures []error) error {
	if len(failures) < 2 { // one needs no count
		return errors.Join(failures...)
	}
	lines, hint := make([]string, len(failures)), ""
	for i, err := range failures {
		lines[i], _, _ = strings.Cut(err.Error(), "\n")
		if failed, ok := errors.AsType[*Error](err); ok && hint == "" {
			hint = failed.Hint
		}
	}
	return Fail(CodeOf(failures[0]), hint, "%s", strings.Join(lines, "\n"+hintIndent))
}

// CodeOf is the exit code for an error, or for none.
func CodeOf(err error) ExitCode {
	if err == nil {
		return ExitDone
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Code
	}
	return ExitFailed
}

// Silent ends a command with a code and without a text, because the command has printed everything.
func Silent(code ExitCode) error { return &Error{Code: code, Err: errSilent} }

var errSilent = errors.New("")

// IsSilent reports whether an error has no text to print.
func IsSilent(err error) bool { return errors.Is(err, errSilent) }

// EndOf is the exit code of a command that a signal ended, as in shells.
func EndOf(ctx context.Context) ExitCode {
	if strings.Contains(fmt.Sprint(context.Cause(ctx)), syscall.SIGTERM.String()) {
		return ExitTerminated
	}
	return ExitInterrupted
}
