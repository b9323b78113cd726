// Package prepared has transactions that a node interprets and keys outside the node sign: their bytes ([Build],
// [Decode]), the hash to sign ([Transaction.Hash]), their signatures ([CheckSignatures]), and the comparison with a
// second interpretation ([Transaction.Compare]).
//
// A prepared transaction is the whole tree of an interpreted submission, with the ids of its new contracts as before
// the commit, and the metadata that bind it to one submission. The bytes are protobuf, but no hash covers protobuf
// bytes: hashes are over a positional encoding of the content (scheme V2, and V3 for transactions with contract keys).
// Lists of parties, input contracts and the entries of text maps are sets: the hash covers them sorted, whatever their
// order in the bytes.
//
// The package is pure. A signer's program can use it too: it needs no packages of templates to read, hash and show a
// transaction.
package prepared
