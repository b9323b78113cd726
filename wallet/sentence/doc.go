// Package sentence says in words what an update did: who did what, how much, and to whom. The page, the history, the
// command line, and the lists of Temporal use the same sentences.
//
// The folder choices has the texts. A choice, or "create" with a template, starts an entry, followed by its state, and
// by "inner" if its consequences say more than it, or "standard" if packages of users may implement it. The indented
// lines are its texts: the first one counts whose values are all known. A text has one [verb] in the past, values in
// braces (a kind and a path), and at its end its state, if that is another one. A path starts at arg (the argument),
// res (the result) or on (the contract of the choice). The kinds:
//
//	party, party's   a party by name
//	cc, token, pay   an amount of coin; of the instrument beside it; with its unit
//	bytes, day       an amount of traffic; a date
//	count, text      the length of a list, and the plural of its elements; a number, or a text of others
//	who              the acting parties; has no path
//	none, one        a condition: the list has no element; one element
//	same, pending    a condition: both values are the same; the transfer waits for its receiver
//	tag              a condition: the variant has this constructor
//
// The package is pure.
package sentence
