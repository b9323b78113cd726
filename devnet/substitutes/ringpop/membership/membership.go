// Package membership replaces Ringpop's description of members.
package membership

type Member interface {
	GetAddress() string
	Label(key string) (value string, has bool)
	Identity() string
}

type ChangeEvent struct{}
