package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ExitCode is what a command ends with. The table in docs/cli.md explains each.
type ExitCode int

// The exit codes of all commands.
const (
	// ExitDone says that the command did what it was asked for.
	ExitDone ExitCode = 0
	// ExitFailed says that it could not: the node refused, or something on this machine failed.
	ExitFailed ExitCode = 1
	// ExitUsage says that the command line is wrong; nothing was done.
	ExitUsage ExitCode = 2
	// ExitNoNode says that no node answers: none runs, it still starts, or the address is wrong.
	ExitNoNode ExitCode = 3
	// ExitDenied says that the node does not take the token, or that its user lacks the right.
	ExitDenied ExitCode = 4
	// ExitTooLate says that the time given with --timeout was over before it happened.
	ExitTooLate ExitCode = 5
	// ExitInterrupted says that the command was interrupted before its end, as shells say it of programs.
	ExitInterrupted ExitCode = 130
	// ExitTerminated says that it was told to end before its end.
	ExitTerminated ExitCode = 143
)

// ExitCodes lists the codes with what each says, for people.
func ExitCodes() []string {
	return []string{
		"done", "failed: the node refused, or something on this machine did", "the command line is wrong; nothing was done",
		"no node answers: none runs, it still starts, or the address is wrong",
		"the token is refused, or its user lacks the right", "the time of --timeout was over",
	}
}

// Error is why a command ends: what is wrong, on the first line, and what to do, on the second.
type Error struct {
	Code ExitCode
	// Err is what is wrong.
	Err error
	// Hint is what to do; empty when Err says it.
	Hint string
}

// Error gives both lines.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + "\n" + hintIndent + e.Hint
}

// hintIndent puts the second line under the first one, behind the name of the program.
const hintIndent = "        "

// Unwrap gives what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Fail ends a command with a code; the text says what is wrong, and the hint what to do.
func Fail(code ExitCode, hint, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...), Hint: hint}
}

// FailAll ends a command that went on after a failure: with the code and the hint of the first one, and a line for
// each. Without a failure there is no error.
func FailAll(failures []error) error {
	if len(failures) < 2 { // one says what it is
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

// CodeOf is the exit code of a command that ended with an error, or with none.
func CodeOf(err error) ExitCode {
	if err == nil {
		return ExitDone
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Code
	}
	return ExitFailed
}

// Silent ends a command with a code and no words, because it has said everything.
func Silent(code ExitCode) error { return &Error{Code: code, Err: errSilent} }

var errSilent = errors.New("")

// IsSilent reports whether an error has no words.
func IsSilent(err error) bool { return errors.Is(err, errSilent) }

// EndOf is the exit code of a command that was ended from outside, as shells have it.
func EndOf(ctx context.Context) ExitCode {
	if strings.Contains(fmt.Sprint(context.Cause(ctx)), syscall.SIGTERM.String()) {
		return ExitTerminated
	}
	return ExitInterrupted
}
