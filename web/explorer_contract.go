package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/florinledger/florin/wallet/sentence"
)

// maxPayload is the number of bytes of a payload that the contract's own page shows.
const maxPayload = 20_000

// createdContract is a created event in the API's JSON.
type createdContract struct {
	Offset      int64           `json:"offset"`
	Node        int32           `json:"nodeId"`
	Contract    string          `json:"contractId"`
	Template    string          `json:"templateId"`
	Package     string          `json:"packageName"`
	Argument    json.RawMessage `json:"createArgument"`
	Key         json.RawMessage `json:"contractKey"`
	Signatories []string        `json:"signatories"`
	Observers   []string        `json:"observers"`
	Witnesses   []string        `json:"witnessParties"`
	At          time.Time       `json:"createdAt"`
	Views       []struct {
		Value json.RawMessage `json:"viewValue"`
	} `json:"interfaceViews"`
}

type contractView struct {
	Reader reader
	ID     string
	// Said says how the contract came to be.
	Said sentence.Sentence
	// Template and Package are technical names.
	Template, Package string
	// Seen are those of the visitor's parties that see the contract.
	Signatories, Observers, Seen people
	// Payload is the whole contract if it is no record; otherwise Fields are its fields.
	Key, Payload string
	Fields       []fieldRow
	// Page is the path of the template's page; "" if it has none. Choices are what the visitor may try.
	Page    string
	Choices []choiceLink
	Began   life
	// Ended is nil if the contract is active.
	Ended *life
}

// ending is where a contract was archived.
type ending struct {
	Offset int64 `json:"offset"`
	Node   int32 `json:"nodeId"`
}

// contractEvents reads the creation of a contract, and its archival; nil if the contract is active.
func (v *visit) contractEvents(id string, as reader) (createdContract, *ending, error) {
	var out struct {
		Created *struct {
			Event createdContract `json:"createdEvent"`
		} `json:"created"`
		Archived *struct {
			Event ending `json:"archivedEvent"`
		} `json:"archived"`
	}
	in := map[string]any{"contractId": id, "eventFormat": as.events()}
	err := v.api.Post(v.ctx(), "/v2/events/events-by-contract-id", in, &out)
	switch {
	case isStatus(err, http.StatusNotFound) || err == nil && out.Created == nil:
		return createdContract{}, nil, &problem{
			Status: http.StatusNotFound, What: "There is no such contract, or you may not see it.",
			Next: "Check the id. Only signatories and observers see a contract, and archived contracts may be pruned.",
		}
	case err != nil:
		return createdContract{}, nil, err
	case out.Archived == nil:
		return out.Created.Event, nil, nil
	}
	return out.Created.Event, &out.Archived.Event, nil
}

func (s *site) contractByID(v *visit, as reader) error {
	found, archived, err := v.contractEvents(v.r.PathValue("id"), as)
	if err != nil {
		return err
	}
	data := contractView{
		Reader: as, ID: found.Contract, Said: s.teller(v, as).contract(found), Template: found.Template,
		Package: found.Package, Signatories: peopleOf(found.Signatories), Observers: peopleOf(found.Observers),
		Seen: as.seen(found.Witnesses),
	}
	if string(found.Key) != "null" {
		data.Key = pretty(found.Key)
	}
	if data.Began, err = s.lifeOf(v, found.Offset, found.Node, as); err != nil {
		return err
	}
	if data.Began.At.IsZero() {
		data.Began.At = found.At
	}
	if archived != nil {
		ended, err := s.lifeOf(v, archived.Offset, archived.Node, as)
		if err != nil {
			return err
		}
		data.Ended = &ended
	}
	if err := s.describe(v, found, as, &data); err != nil {
		return err
	}
	return s.show(v, "contract", data)
}

// life is the creation or the archival of a contract.
type life struct {
	Offset int64
	// Update, At and Did describe the transaction; "" and nil if it is pruned or the reader may not see it. Only the
	// submitters see Command. Temporal is the address of its workflow.
	Update, Command, Temporal string
	At                        time.Time
	Did                       *node
}

// lifeOf finds what an event of a contract was part of: the choice that made it, or the event itself.
func (s *site) lifeOf(v *visit, offset int64, event int32, as reader) (life, error) {
	one := life{Offset: offset}
	found, err := v.transaction(updateRef{Offset: offset}, as)
	if isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusBadRequest) { // it was pruned
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.Update, one.Command, one.At = found.ID, found.Command, found.Recorded
	if found.Command != "" {
		one.Temporal = s.workflowsOf(found.Command, "")
	}
	said := s.teller(v, as).each(found.Events)
	for i, part := range found.Events {
		at := part.head(as)
		if at.id <= event && event <= at.last && (one.Did == nil || at.Choice != "") {
			one.Did = at
			at.Said = said(i)
		}
	}
	return one, nil
}
