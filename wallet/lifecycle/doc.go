// Package lifecycle says which contracts need somebody to look after them for as long as they live, and what is due for
// them when: a preapproval is renewed and expires, an offer is completed or expires. It is pure: it is shown contracts
// and a time, and answers with commands to submit now, or with the time at which to look again.
package lifecycle
