package validator

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
)

// Name is a caller's name for a change. The same name with the same content makes the change once and gets the first
// answer; another content under a used name is an error.
type Name struct {
	// Field is the request's field with the name, ID.
	Field, ID string
	// Content is the content of the request in canonical form.
	Content string
}

// Named makes the name of a request. Leave deadlines out of the content: a client that repeats its request computes
// them again.
func Named(field, id string, content ...any) (*Name, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fault.Internal(err)
	}
	return &Name{Field: field, ID: id, Content: string(text)}, nil
}

// contentMark precedes the hash of the content in submission ids. Older versions wrote none.
const contentMark = "content:"

// submissionID contains a hash of the content. The record keeps it as long as the name counts, even if the change is
// pruned.
func (n Name) submissionID() string {
	return contentMark + uuid.NewSHA1(uuid.NameSpaceOID, []byte(n.Content)).String()
}

// check returns an error if the name was used for another content.
func (n Name) check(refusal *fault.Fault) error {
	first := refusal.Context["existingSubmissionId"]
	if !strings.Contains(first, contentMark) || strings.Contains(first, n.submissionID()) {
		return nil
	}
	return v0.Refuse(http.StatusConflict, "The %s %q was used for another change: the amount, the receiver or the text "+
		"differs. Nothing was done: send the first request again to get its answer, or use a new %s.",
		n.Field, n.ID, n.Field)
}
