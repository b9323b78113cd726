// Package audit proves from the record that no coin appears or gets lost, and that only the nodes of the ledger wrote
// to it, offset by offset:
//
//   - minted coin less burned coin is the sum of all holdings, locked ones included;
//   - no contract was consumed twice, and no contract changed after its creation;
//   - every offset has an entry, and its hash follows from the entry and the hash before;
//   - the listings, which each commit derives from its entries, have every entry for its parties;
//   - transfers, minting and burning explain every change of a party's balance;
//   - the updates explain the uploaded packages and their vetting.
//
// Updates say what happened, contracts say what exists; the audit computes neither from the other, so that a mistake in
// either shows. It reads the record page by page, in constant memory.
//
// An [Auditor] audits the record from one offset to another. A [Follower] audits continuously at little cost, and
// writes its progress to the database.
package audit
