package v2

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/florinledger/florin/ledger/fault"
)

// The protobuf tags of a token's two fields, a string and bytes. With the first alone, tokens are upstream's.
const (
	pageTokenLast = 0x0a
	pageTokenList = 0x12
)

// listLength is the number of hash bytes that identify a list.
const listLength = 8

// PageList identifies a list and its filters, so that its tokens fit no other list.
type PageList [listLength]byte

// ListOf returns the list with the name and the filters.
func ListOf(name string, filters ...string) PageList {
	hash := sha256.New()
	for _, text := range append([]string{name}, filters...) {
		hash.Write([]byte(strconv.Itoa(len(text)) + ":" + text))
	}
	return PageList(hash.Sum(nil))
}

// Token names the last element of a page.
func (l PageList) Token(last string) string {
	message := []byte{pageTokenLast}
	message = binary.AppendUvarint(message, uint64(len(last)))
	message = append(message, last...)
	message = append(message, pageTokenList, listLength)
	return base64.URLEncoding.EncodeToString(append(message, l[:]...))
}

// After returns the last element of the previous page, "" for the first page.
func (l PageList) After(token string) (string, error) {
	if token == "" {
		return "", nil
	}
	last, list, ok := parsePageToken(token)
	switch {
	case !ok:
		return "", fault.InvalidArgumentf("Invalid page token").
			WithHint("Send the nextPageToken of the previous page unchanged, or none to begin.")
	case list != l:
		return "", fault.InvalidArgumentf("Invalid page token: it belongs to another list, or to another filter").
			WithHint("Send the nextPageToken of the previous page with an otherwise unchanged request, or none to begin.")
	default:
		return last, nil
	}
}

func parsePageToken(token string) (last string, list PageList, ok bool) {
	message, err := base64.URLEncoding.DecodeString(token)
	if err != nil || len(message) < 2 || message[0] != pageTokenLast {
		return "", list, false
	}
	length, read := binary.Uvarint(message[1:])
	rest := message[1+max(read, 0):]
	if read <= 0 || length > uint64(len(rest)) {
		return "", list, false
	}
	last, named := string(rest[:length]), rest[length:]
	digest, ok := bytes.CutPrefix(named, []byte{pageTokenList, listLength})
	if !ok || len(digest) != listLength || !utf8.ValidString(last) || strings.ContainsRune(last, 0) {
		return "", list, false
	}
	return last, PageList(digest), true
}
