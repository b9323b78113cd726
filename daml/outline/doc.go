// Package outline says what a Daml package offers: its templates and interfaces with their fields and choices, and the
// types of which forms and tables are made. An outline has no expressions, so it is much smaller than the syntax tree.
//
// The package is pure.
package outline
