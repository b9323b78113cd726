package ledger

import (
	"encoding/json"
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

// Update is one committed transaction, or topology transaction, as the record keeps it and readers get it.
type Update struct {
	Offset          Offset       `json:"offset"`
	ID              UpdateID     `json:"updateId"`
	RecordTime      time.Time    `json:"recordTime"`
	EffectiveAt     time.Time    `json:"effectiveAt"`
	UserID          string       `json:"userId"`
	CommandID       string       `json:"commandId"`
	WorkflowID      string       `json:"workflowId"`
	ActAs           []Party      `json:"actAs"`
	Trace           TraceContext `json:"trace"`
	PaidTrafficCost int64        `json:"paidTrafficCost"`
	// ExternalHash is the signed hash, in hexadecimal, of a transaction that was signed outside the node; "" for others.
	ExternalHash string `json:"externalHash,omitempty"`
	// Events are the create, exercise and fetch nodes of the transaction in execution order.
	Events []Event `json:"events"`
	// EncodedEvents are the Events as the record keeps them, in the process that made the update; nil elsewhere.
	EncodedEvents []byte `json:"-"`
	// Topology is the changes of hosting; set on topology transactions, which have no events and no submitter.
	Topology []Hosting `json:"topology,omitempty"`
	// Vetting is the changes of packages; set on topology transactions that vet, which have neither events nor Topology.
	Vetting []Vetting `json:"vetting,omitempty"`
}

// IsTopology reports whether the update changes the topology: nobody submitted it, so it has no completion.
func (u Update) IsTopology() bool { return len(u.Topology) > 0 || len(u.Vetting) > 0 }

// EventKind says which node of a transaction an event is.
type EventKind string

// The kinds of events.
const (
	EventCreate   EventKind = "create"
	EventExercise EventKind = "exercise"
	EventFetch    EventKind = "fetch"
)

// Event is one node of a committed transaction. Parties lists are sorted.
type Event struct {
	NodeID int32 `json:"nodeId"`
	// LastDescendant is the highest node id in the sub-tree; NodeID itself for a leaf.
	LastDescendant int32       `json:"lastDescendant"`
	Kind           EventKind   `json:"kind"`
	ContractID     ContractID  `json:"contractId"`
	Template       lf.TypeName `json:"templateId"`
	PackageName    string      `json:"packageName"`
	Signatories    []Party     `json:"signatories"`
	Observers      []Party     `json:"observers,omitempty"`
	// Witnesses are the informees of this node and of all nodes above it: everyone who sees the event.
	Witnesses []Party `json:"witnesses"`
	// Argument is the payload of a create and the choice argument of an exercise.
	Argument json.RawMessage `json:"argument,omitempty"`
	Key      *ContractKey    `json:"key,omitempty"`

	// The rest is set on exercises (and ActingParties and Interface on fetches).
	Interface     *lf.TypeName    `json:"interfaceId,omitempty"`
	Choice        string          `json:"choice,omitempty"`
	Consuming     bool            `json:"consuming,omitempty"`
	ActingParties []Party         `json:"actingParties,omitempty"`
	Result        json.RawMessage `json:"result,omitempty"`
}

// Stakeholders are the signatories and observers of the event's contract, sorted.
func (e Event) Stakeholders() []Party { return SortedParties(e.Signatories, e.Observers) }
