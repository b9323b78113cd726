package ledgerapi

import (
	"cmp"
	"encoding/json"
	"iter"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// JsCommands is a composite command: its commands form one transaction (contract, "POST /v2/commands/async/submit").
type JsCommands struct {
	endpoint.Strict

	Commands                     []Command             `json:"commands" required:"true" doc:"The commands of one transaction"`
	CommandID                    string                `json:"commandId" required:"true" doc:"Part of the change id"`
	ActAs                        []string              `json:"actAs" required:"true" doc:"The parties to act as"`
	UserID                       *string               `json:"userId" doc:"Default: the user of the token"`
	ReadAs                       []string              `json:"readAs" doc:"Parties whose contracts may also be used"`
	WorkflowID                   *string               `json:"workflowId" doc:"Identifier kept with the transaction"`
	DeduplicationPeriod          *DeduplicationPeriod  `json:"deduplicationPeriod" doc:"Default: the longest"`
	MinLedgerTimeAbs             *endpoint.Timestamp   `json:"minLedgerTimeAbs" doc:"Earliest ledger time"`
	MinLedgerTimeRel             *v2.Duration          `json:"minLedgerTimeRel" doc:"Earliest ledger time, relative to now"`
	SubmissionID                 *string               `json:"submissionId" doc:"New for each retry; optional"`
	DisclosedContracts           []DisclosedContract   `json:"disclosedContracts" doc:"Contracts that others disclosed"`
	SynchronizerID               *string               `json:"synchronizerId" doc:"Optional: there is only one"`
	PackageIDSelectionPreference []string              `json:"packageIdSelectionPreference" doc:"For package names"`
	PrefetchContractKeys         []PrefetchContractKey `json:"prefetchContractKeys" doc:"Keys that the commands use"`
	TapsMaxPasses                *int32                `json:"tapsMaxPasses" doc:"Maximum passes of package selection"`
}

// Command is one action.
type Command struct {
	endpoint.OneOf

	CreateCommand            *CreateCommand            `json:"CreateCommand,omitempty"`
	ExerciseCommand          *ExerciseCommand          `json:"ExerciseCommand,omitempty"`
	ExerciseByKeyCommand     *ExerciseByKeyCommand     `json:"ExerciseByKeyCommand,omitempty"`
	CreateAndExerciseCommand *CreateAndExerciseCommand `json:"CreateAndExerciseCommand,omitempty"`
}

// CreateCommand creates a contract.
type CreateCommand struct {
	endpoint.Strict

	TemplateID      lf.TypeName     `json:"templateId" required:"true" doc:"#package-name:Module:Entity"`
	CreateArguments json.RawMessage `json:"createArguments" required:"true" doc:"The payload, by field name"`
}

// ExerciseCommand exercises a choice.
type ExerciseCommand struct {
	endpoint.Strict

	TemplateID     lf.TypeName     `json:"templateId" required:"true" doc:"Template or interface"`
	ContractID     string          `json:"contractId" required:"true" doc:"The contract"`
	Choice         string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// ExerciseByKeyCommand exercises a choice of the contract that has a key.
type ExerciseByKeyCommand struct {
	endpoint.Strict

	TemplateID     lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	ContractKey    json.RawMessage `json:"contractKey" required:"true" doc:"The key"`
	Choice         string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// CreateAndExerciseCommand creates a contract and exercises a choice on it.
type CreateAndExerciseCommand struct {
	endpoint.Strict

	TemplateID      lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	CreateArguments json.RawMessage `json:"createArguments" required:"true" doc:"The payload, by field name"`
	Choice          string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument  json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// DeduplicationPeriod is a window in which a change happens at most once (contract, "DeduplicationPeriod").
type DeduplicationPeriod struct {
	endpoint.OneOf

	DeduplicationDuration *endpoint.Value[v2.Duration] `json:"DeduplicationDuration,omitempty" doc:"Length of the window, up to now"`
	// DeduplicationOffset is the offset at which a window begins.
	DeduplicationOffset *endpoint.Value[int64] `json:"DeduplicationOffset,omitempty" doc:"Since an offset, exclusive"`
	Empty               *v2.Nothing            `json:"Empty,omitempty" doc:"None given, or unknown"`
}

// DisclosedContract is a contract that one of its stakeholders disclosed to the submitter.
type DisclosedContract struct {
	CreatedEventBlob endpoint.Bytes `json:"createdEventBlob" required:"true" doc:"From the created event"`
	TemplateID       *lf.TypeName   `json:"templateId" doc:"Checked against the blob"`
	ContractID       string         `json:"contractId" doc:"Checked against the blob"`
	SynchronizerID   string         `json:"synchronizerId" doc:"Checked against the node's"`
}

// PrefetchContractKey is a key that interpretation is expected to look up.
type PrefetchContractKey struct {
	endpoint.Strict

	TemplateID  lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	ContractKey json.RawMessage `json:"contractKey" required:"true" doc:"The key"`
}

// SubmitResponse is {}: the outcome is a completion.
type SubmitResponse struct{}

// SubmitAndWaitResponse names the transaction.
type SubmitAndWaitResponse struct {
	UpdateID         string `json:"updateId" required:"true" doc:"The transaction"`
	CompletionOffset int64  `json:"completionOffset" required:"true" doc:"Offset of its completion"`
}

// JsSubmitAndWaitForTransactionRequest submits and asks for the transaction.
type JsSubmitAndWaitForTransactionRequest struct {
	endpoint.Strict

	Commands          JsCommands         `json:"commands" required:"true" doc:"What to submit"`
	TransactionFormat *TransactionFormat `json:"transactionFormat" doc:"Default: the changes to active contracts"`
}

// JsSubmitAndWaitForTransactionResponse is the transaction.
type JsSubmitAndWaitForTransactionResponse struct {
	Transaction JsTransaction `json:"transaction" required:"true" doc:"The transaction"`
}

// RequestedParties implements [endpoint.ForParties].
func (c JsCommands) RequestedParties() iter.Seq[ledger.Party] { return partiesIn(c.ActAs) }

// Requested implements [endpoint.ForSubmission].
func (c JsCommands) Requested() ledger.Submission {
	return ledger.Submission{
		CommandID: c.CommandID, WorkflowID: v2.OrEmpty(c.WorkflowID), ActAs: v2.FromAPIParties(c.ActAs),
		Commands: FromAPICommands(c.Commands),
	}
}

// Requested implements [endpoint.ForSubmission].
func (r JsSubmitAndWaitForTransactionRequest) Requested() ledger.Submission {
	return r.Commands.Requested()
}

// RequestedParties implements [endpoint.ForParties].
func (r JsSubmitAndWaitForTransactionRequest) RequestedParties() iter.Seq[ledger.Party] {
	return r.Commands.RequestedParties()
}

func partiesIn(names []string) iter.Seq[ledger.Party] {
	return func(yield func(ledger.Party) bool) {
		for _, name := range names {
			if !yield(ledger.Party(name)) {
				return
			}
		}
	}
}

// The default limits of one submission.
const (
	DefaultMaxCommands  = 1000
	DefaultMaxDisclosed = 1000
	DefaultMaxParties   = 1000
)

// Counts limit the size of one submission. Zero means the defaults.
type Counts struct {
	// Commands is the maximum number of commands.
	Commands int
	// Disclosed is the maximum number of disclosed contracts, and of prefetched keys.
	Disclosed int
	// Parties is the maximum number of parties in actAs, and in readAs.
	Parties int
}

func (c Counts) withDefaults() Counts {
	return Counts{
		Commands:  cmp.Or(c.Commands, DefaultMaxCommands),
		Disclosed: cmp.Or(c.Disclosed, DefaultMaxDisclosed),
		Parties:   cmp.Or(c.Parties, DefaultMaxParties),
	}
}

// check refuses a too large submission before any work on it.
func (c Counts) check(body JsCommands) error {
	for _, list := range []struct {
		field      string
		count, max int
	}{
		{"commands", len(body.Commands), c.Commands},
		{"act_as", len(body.ActAs), c.Parties},
		{"read_as", len(body.ReadAs), c.Parties},
		{"disclosed_contracts", len(body.DisclosedContracts), c.Disclosed},
		{"prefetch_contract_keys", len(body.PrefetchContractKeys), c.Disclosed},
		{"package_id_selection_preference", len(body.PackageIDSelectionPreference), c.Disclosed},
	} {
		if list.count > list.max {
			return fault.InvalidArgumentf("%s has %d elements; the maximum in one submission is %d",
				list.field, list.count, list.max).WithHint("Split it into several submissions.")
		}
	}
	return nil
}
