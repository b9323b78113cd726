// Package audit proves from the record that coin is neither made nor lost, and that nobody wrote to it besides the
// nodes of the ledger, offset by offset:
//
//   - what was minted less what was burned is what all holdings, locked ones included, add up to;
//   - no contract was consumed twice, and each still says what it said when it was created;
//   - every offset has an entry whose hash follows from it and from the one before, and nothing else;
//   - parties find the entries that are theirs in the listings that each commit derives from what it writes;
//   - every party's balance changed by what transfers, minting and burning gave and took, and by nothing else;
//   - the packages that were uploaded are those that updates say, vetted as these say.
//
// The updates say what happened, the contracts what there is; neither is computed from the other here, so that a
// mistake in either shows. The record is read page by page, in memory that does not grow with it.
//
// An [Auditor] goes through the record from one offset to another. A [Follower] does so continuously at little cost,
// and keeps how far it has come in the database.
package audit
