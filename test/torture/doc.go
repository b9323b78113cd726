// Package torture judges histories: what clients of a ledger asked, what they were told, what readers saw, and what the
// ledger says that it did. [Check] finds everything in a history that no correct ledger could have produced, in the
// manner of Jepsen's tests of banks. It is pure, and knows nothing of how a history was recorded.
package torture
