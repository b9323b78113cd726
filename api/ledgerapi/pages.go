package ledgerapi

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/fault"
)

// pageTokenField is the protobuf tag of the token's one field, a string: tokens look like upstream's.
const pageTokenField = 0x0a

// encodePageToken names the last element of a page.
func encodePageToken(last string) string {
	message := []byte{pageTokenField}
	message = binary.AppendUvarint(message, uint64(len(last)))
	message = append(message, last...)
	return base64.URLEncoding.EncodeToString(message)
}

// decodePageToken returns the last element of the previous page, "" for the first page.
func decodePageToken(token string) (string, error) {
	if token == "" {
		return "", nil
	}
	invalid := fault.InvalidArgumentf("Invalid page token").
		WithHint("Send the nextPageToken of the previous page unchanged, or none to begin.")
	message, err := base64.URLEncoding.DecodeString(token)
	if err != nil || len(message) < 2 || message[0] != pageTokenField {
		return "", invalid
	}
	length, read := binary.Uvarint(message[1:])
	if read <= 0 || length != uint64(len(message)-1-read) {
		return "", invalid
	}
	last := string(message[1+read:])
	if !utf8.ValidString(last) || strings.ContainsRune(last, 0) {
		return "", invalid
	}
	return last, nil
}
