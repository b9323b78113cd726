package validator

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
)

// Name is what a caller calls a change. The same name with the same content happens once and gets the first answer;
// other content under a used name is refused.
type Name struct {
	// Field is where the request has the name, ID.
	Field, ID string
	// Content is what the caller asks for, in one notation.
	Content string
}

// Named is a name of what a request asks for. Its deadlines are to be left out: a client that sends its request again
// counts them anew.
func Named(field, id string, content ...any) (*Name, error) {
	asked, err := json.Marshal(content)
	if err != nil {
		return nil, fault.Internal(err)
	}
	return &Name{Field: field, ID: id, Content: string(asked)}, nil
}

// contentMark stands in submission ids before what tells the content from others. Versions before this one left it out.
const contentMark = "content:"

// submissionID is one that tells the content from others. The record keeps it as long as the name counts, even where
// the change itself is pruned.
func (n Name) submissionID() string {
	return contentMark + uuid.NewSHA1(uuid.NameSpaceOID, []byte(n.Content)).String()
}

// check refuses a change that was not made because its name is used, if it was used for something else.
func (n Name) check(refusal *fault.Fault) error {
	first := refusal.Context["existingSubmissionId"]
	if !strings.Contains(first, contentMark) || strings.Contains(first, n.submissionID()) {
		return nil
	}
	return v0.Refuse(http.StatusConflict, "The %s %q was used for another change: the amount, the receiver or the text "+
		"differs. Nothing was done: send the first request again to get its answer, or use a new %s.",
		n.Field, n.ID, n.Field)
}
