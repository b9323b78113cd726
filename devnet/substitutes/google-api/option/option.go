// Package option has the options of Google's clients that Temporal's server names.
package option

import "golang.org/x/oauth2"

// ClientOption is an option of a client.
type ClientOption interface{ clientOption() }

type none struct{}

func (none) clientOption() {}

// WithTokenSource says where tokens come from; no client of this build asks for one.
func WithTokenSource(oauth2.TokenSource) ClientOption { return none{} }
