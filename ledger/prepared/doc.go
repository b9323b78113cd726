// Package prepared is about transactions that are interpreted by a node but authorized by signatures of keys outside
// it: what such a transaction looks like as bytes ([Build], [Decode]), which hash is signed ([Transaction.Hash]), who
// has signed it ([CheckSignatures]), and whether running it again gives the same ([Transaction.Compare]).
//
// A prepared transaction is the whole tree that a submission was interpreted into, with every contract id in the form
// that it has before the commit, and the metadata that bind it to one submission. The bytes are protobuf, but no hash
// covers protobuf bytes: hashes are over a positional encoding of the content (scheme V2, and V3 for transactions with
// contract keys). Lists of parties, input contracts and the entries of text maps are sets: they are sorted before they
// are hashed, whatever their order in the bytes.
//
// The package is pure. A signer's program can use it as well as the node: it needs no packages of templates to read,
// hash and show a transaction.
package prepared
