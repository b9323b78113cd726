// Package console prints the output of commands: tables and text for people, JSON for programs. It defines the exit
// codes.
package console
