// Package auth says who a caller is and what the caller may do.
//
// Three steps, each its own type. A [Verifier] checks a token and yields what it says ([Token]). A [Resolver] looks the
// token's user up and yields the caller's [Claims]. Endpoints ask the Claims: every Require method answers nil, or the
// fault to send (401 when nobody is authenticated, 403 when the rights do not suffice, both without details).
//
// The package knows no database and no HTTP beyond the two headers that carry tokens: users and rights come through
// the interface [Users].
package auth
