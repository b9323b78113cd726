package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
