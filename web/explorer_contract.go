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
	Key, Payload                 string
	Began                        life
	// Ended is nil if the contract is active.
	Ended *life
}

func (s *site) contractByID(v *visit, as reader) error {
	var out struct {
		Created *struct {
			Event createdContract `json:"createdEvent"`
		} `json:"created"`
		Archived *struct {
			Event struct {
				Offset int64 `json:"offset"`
				Node   int32 `json:"nodeId"`
			} `json:"archivedEvent"`
		} `json:"archived"`
	}
	in := map[string]any{"contractId": v.r.PathValue("id"), "eventFormat": as.events()}
	err := v.api.Post(v.ctx(), "/v2/events/events-by-contract-id", in, &out)
	if isStatus(err, http.StatusNotFound) || err == nil && out.Created == nil {
		return &problem{
			Status: http.StatusNotFound, What: "There is no such contract, or you may not see it.",
			Next: "Check the id. Only signatories and observers see a contract, and archived contracts may be pruned.",
		}
	}
	if err != nil {
		return err
	}
	found := out.Created.Event
	data := contractView{
		Reader: as, ID: found.Contract, Said: s.teller(v, as).contract(found), Template: found.Template,
		Package: found.Package, Signatories: peopleOf(found.Signatories), Observers: peopleOf(found.Observers),
		Seen: as.seen(found.Witnesses), Payload: prettyTo(found.Argument, maxPayload),
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
	if out.Archived != nil {
		ended, err := s.lifeOf(v, out.Archived.Event.Offset, out.Archived.Event.Node, as)
		if err != nil {
			return err
		}
		data.Ended = &ended
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
