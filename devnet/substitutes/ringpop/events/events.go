// Package events replaces Ringpop's events. None happens.
package events

type Event any

type EventListener interface {
	HandleEvent(event Event)
}
