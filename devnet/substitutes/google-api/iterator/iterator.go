// Package iterator has the end of lists of Google's clients.
package iterator

import "errors"

// Done is returned after the last element.
var Done = errors.New("no more items in iterator")
