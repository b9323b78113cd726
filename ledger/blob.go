package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// blobVersion is the first byte of a created-event blob.
const blobVersion = 1

// EncodeBlob packs a contract into the bytes that clients carry from an event to a submission's disclosed contracts.
// To clients they are opaque.
func EncodeBlob(c Contract) ([]byte, error) {
	content, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("pack contract %s: %w", c.ID, err)
	}
	return append([]byte{blobVersion}, content...), nil
}

// BlobBytes is how many bytes the blob of a contract has at most, for who counts them before it is made.
func BlobBytes(c Contract) int {
	const facts = 512 // ids, names of fields, the time and the hash of a key
	size := facts + escaped([]byte(c.PackageName+c.Template.String())) + escaped(c.Payload)
	for _, party := range slices.Concat(c.Signatories, c.Observers) {
		size += len(party) + len(`"",`)
	}
	if c.Key == nil {
		return size
	}
	for _, party := range c.Key.Maintainers {
		size += len(party) + len(`"",`)
	}
	return size + escaped(c.Key.Value)
}

// escaped is how long JSON becomes in JSON: the encoder writes some characters as their numbers.
func escaped(text []byte) int {
	size := len(text)
	for _, char := range []string{"<", ">", "&", "\u2028", "\u2029"} {
		size += bytes.Count(text, []byte(char)) * (len(`\u2028`) - len(char))
	}
	return size
}

// DecodeBlob is the inverse of [EncodeBlob]. It checks that the content is what the contract id stands for.
func DecodeBlob(blob []byte) (Contract, error) {
	if len(blob) == 0 || blob[0] != blobVersion {
		return Contract{}, errors.New("not a created event blob of this node")
	}
	decoder := json.NewDecoder(bytes.NewReader(blob[1:]))
	decoder.DisallowUnknownFields()
	var c Contract
	if decoder.Decode(&c) != nil { // what the decoder says of our types is not for clients
		return Contract{}, errors.New("the created event blob cannot be read")
	}
	return c, AuthenticateContract(c)
}
