// Package webhook posts events to the addresses that users have subscribed: completions of their commands, updates and
// wallet history of a party, and alarms of the node. Messages follow Standard Webhooks.
//
// The record says how far each webhook has come, so a message is sent at least once, and messages of a webhook are sent
// in order. Each attempt is in the record before its request and gets its result afterwards: a receiver has got a
// message exactly as often as the log says, apart from attempts whose state is unknown.
package webhook
