package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

// Submission is one request to change the ledger: its commands form one transaction or none. It is what a workflow
// carries, so it serializes to readable JSON.
type Submission struct {
	// Key is the node's own name for this submission (a UUID): processing a submission twice yields the completion of
	// the first time. Clients never see it.
	Key string `json:"key"`
	// Identity is who submits.
	Identity

	CommandID    string `json:"commandId"`
	SubmissionID string `json:"submissionId"`
	WorkflowID   string `json:"workflowId,omitempty"`
	// ActAs and ReadAs are sorted and free of duplicates.
	ActAs    []Party   `json:"actAs"`
	ReadAs   []Party   `json:"readAs,omitempty"`
	Commands []Command `json:"commands"`
	// Deduplication is the period as requested; nil means the configured maximum.
	Deduplication *DeduplicationPeriod `json:"deduplication,omitempty"`
	// MinLedgerTime is the lower bound of the ledger time; nil when unbounded.
	MinLedgerTime *time.Time `json:"minLedgerTime,omitempty"`
	Disclosed     []Contract `json:"disclosed,omitempty"`
	// Signed is set for a transaction that was prepared and then signed outside the node. Commands and Disclosed are empty
	// until it is read.
	Signed *SignedTransaction `json:"signed,omitempty"`
	// Preference lists package ids that win over the highest version of their package name.
	Preference []lf.PackageID `json:"packagePreference,omitempty"`
	// TrustedPackages are the names of uploaded packages whose code may use the authority of a wallet's party on their
	// own contracts: see checkComposed.
	TrustedPackages []string `json:"trustedPackages,omitempty"`
	// ReceivedAt is when the node received the submission.
	ReceivedAt time.Time    `json:"receivedAt"`
	Trace      TraceContext `json:"trace"`
	// Admission is the right that the node required of the identity; empty for submissions of the node itself.
	Admission Admission `json:"admission,omitempty"`
	// Kind is the origin of the submission, for operators: see the Kind constants.
	Kind string `json:"kind"`
	// Seal proves to a commit that a node of this ledger made the submission and nobody changed it: see package seal.
	Seal string `json:"seal,omitempty" seal:"-"`
}

// The kinds of submissions.
const (
	// KindCommand is a submission made by a client through the ledger API.
	KindCommand = "command"
	// KindBootstrap is a submission that the node makes to set its ledger up.
	KindBootstrap = "bootstrap"
	// KindLifecycle is a submission of a workflow for a contract that it manages.
	KindLifecycle = "lifecycle"
	// KindAutomation is a submission that automation makes for a wallet or the network.
	KindAutomation = "automation"
	// KindWallet is a submission that the operator makes at the request of a wallet user or an external party.
	KindWallet = "wallet"
)

// WaitsForItsTime reports whether the submission names a time after its receipt. A signed one does not wait.
func (s Submission) WaitsForItsTime() bool {
	return s.MinLedgerTime != nil && s.Signed == nil && s.MinLedgerTime.After(s.ReceivedAt)
}

// Command is one action of a submission; exactly one field is set (contract, "Command submission types").
type Command struct {
	Create            *CreateCommand            `json:"create,omitempty"`
	Exercise          *ExerciseCommand          `json:"exercise,omitempty"`
	ExerciseByKey     *ExerciseByKeyCommand     `json:"exerciseByKey,omitempty"`
	CreateAndExercise *CreateAndExerciseCommand `json:"createAndExercise,omitempty"`
}

// CreateCommand creates a contract. Argument is the payload in the JSON form of package lf.
type CreateCommand struct {
	Template lf.TypeName     `json:"template"`
	Argument json.RawMessage `json:"argument"`
}

// ExerciseCommand exercises a choice of a template, or of an interface that the contract's template implements.
type ExerciseCommand struct {
	Template lf.TypeName     `json:"template"`
	Contract ContractID      `json:"contract"`
	Choice   string          `json:"choice"`
	Argument json.RawMessage `json:"argument"`
}

// ExerciseByKeyCommand exercises a choice of the contract that has the key.
type ExerciseByKeyCommand struct {
	Template lf.TypeName     `json:"template"`
	Key      json.RawMessage `json:"key"`
	Choice   string          `json:"choice"`
	Argument json.RawMessage `json:"argument"`
}

// CreateAndExerciseCommand creates a contract and exercises a choice on it at once.
type CreateAndExerciseCommand struct {
	Template       lf.TypeName     `json:"template"`
	CreateArgument json.RawMessage `json:"createArgument"`
	Choice         string          `json:"choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument"`
}

// DeduplicationPeriod is a requested or reported deduplication window; at most one field is set, none means unknown.
type DeduplicationPeriod struct {
	// Duration looks back from the moment of processing.
	Duration *time.Duration `json:"duration,omitempty"`
	// Offset is the exclusive start of the window.
	Offset *Offset `json:"offset,omitempty"`
}

// TraceContext is a W3C trace context; empty fields are absent.
type TraceContext struct {
	Traceparent string `json:"traceparent,omitempty"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// TraceID is the 32 hexadecimal characters in the middle of the traceparent, or "".
func (c TraceContext) TraceID() string {
	const start, end = 3, 35
	if len(c.Traceparent) < end {
		return ""
	}
	return c.Traceparent[start:end]
}

// ChangeID names an intended change: the hash of identity, command id and the set of acting parties (contract,
// commandId).
type ChangeID string

// ChangeID is the submission's change id: 1220 followed by the hash in hexadecimal. A change by the operator for a
// wallet belongs to the wallet, whose party is in the command id, so requests of all users of the wallet are the same
// change.
func (s Submission) ChangeID() ChangeID {
	if s.Kind == KindWallet {
		return NewChangeID(Identity{}, s.CommandID, s.ActAs)
	}
	return NewChangeID(s.Identity, s.CommandID, s.ActAs)
}

// ofProvider comes before the identity provider in the hash of a change id: no text has this length, so the hash cannot
// equal one of the default identity provider, which starts with the user id.
const ofProvider = math.MaxUint32

// NewChangeID computes a change id. The order of the parties and duplicates do not matter.
func NewChangeID(who Identity, commandID string, actAs []Party) ChangeID {
	hash := sha256.New()
	write := func(text string) {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(text))))
		hash.Write([]byte(text))
	}
	if who.IdentityProviderID != DefaultIdentityProvider {
		hash.Write(binary.BigEndian.AppendUint32(nil, ofProvider))
		write(who.IdentityProviderID)
	}
	write(who.UserID)
	write(commandID)
	for _, party := range SortedParties(slices.Clone(actAs)) {
		write(string(party))
	}
	return ChangeID("1220" + hex.EncodeToString(hash.Sum(nil)))
}

// Uses is the template or interface that the command names, and its choice; "" for a create.
func (c Command) Uses() (name lf.TypeName, choice string) {
	switch {
	case c.Create != nil:
		return c.Create.Template, ""
	case c.Exercise != nil:
		return c.Exercise.Template, c.Exercise.Choice
	case c.ExerciseByKey != nil:
		return c.ExerciseByKey.Template, c.ExerciseByKey.Choice
	case c.CreateAndExercise != nil:
		return c.CreateAndExercise.Template, c.CreateAndExercise.Choice
	default:
		return lf.TypeName{}, ""
	}
}

// MentionedContracts lists the texts in commands that look like contract ids, to load these contracts before
// interpretation. It may list too many or too few.
func (s Submission) MentionedContracts() []ContractID {
	var ids []ContractID
	for _, command := range s.Commands {
		switch {
		case command.Exercise != nil:
			ids = append(append(ids, command.Exercise.Contract), contractIDsIn(command.Exercise.Argument)...)
		case command.CreateAndExercise != nil:
			ids = append(ids, contractIDsIn(command.CreateAndExercise.CreateArgument)...)
			ids = append(ids, contractIDsIn(command.CreateAndExercise.ChoiceArgument)...)
		case command.Create != nil:
			ids = append(ids, contractIDsIn(command.Create.Argument)...)
		case command.ExerciseByKey != nil:
			ids = append(ids, contractIDsIn(command.ExerciseByKey.Argument)...)
		}
	}
	return ids
}

var contractIDPattern = regexp.MustCompile(`"(00[0-9a-f]{64,253})"`)

func contractIDsIn(raw json.RawMessage) []ContractID {
	var ids []ContractID
	for _, match := range contractIDPattern.FindAllSubmatch(raw, -1) {
		ids = append(ids, ContractID(match[1]))
	}
	return ids
}
