// Package lifecycle lists the contracts that need care during their lives, and plans it: it renews and ends
// preapprovals, completes and ends offers, and so on. It is pure: it gets contracts and a time, and returns commands to
// submit now, or the time of the next look.
package lifecycle
