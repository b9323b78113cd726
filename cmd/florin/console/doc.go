// Package console is how commands speak to people and to programs: tables and text on a terminal, JSON where it is
// asked for, and one table of exit codes.
package console
