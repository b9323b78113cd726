package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Request is a client's request for a submission.
type Request struct {
	UserID, CommandID, SubmissionID, WorkflowID string
	SynchronizerID                              string
	ActAs, ReadAs                               []Party
	Commands                                    []Command
	MinLedgerTime                               MinLedgerTime
	Deduplication                               RequestedDeduplication
	Disclosed                                   []DisclosedContract
	// Preference lists package ids that win over the highest version of their package name.
	Preference []lf.PackageID
	// Prefetch has the templates and keys of contracts that are expected to be looked up.
	Prefetch []ExerciseByKeyCommand
	// MaxPasses is the most passes of package selection.
	MaxPasses *int32
	// Received is when the node received the request.
	Received time.Time
}

// DisclosedContract is a contract that a reader of it gave to the submitter. Only the blob is required.
type DisclosedContract struct {
	Blob                       []byte
	Template                   *lf.TypeName
	ContractID, SynchronizerID string
}

// Authorizer checks that the caller may send a request for this user and these parties, and returns the identity that
// submits.
type Authorizer func(requested string, actAs, readAs []Party) (Identity, error)

// ReadSubmission checks a request from top to bottom, so that the first violation wins as with upstream's server, and
// makes its submission; the caller adds the key and the origin. With an error the submission has only its submission
// id, if any.
func (p *Packages) ReadSubmission(node Node, request Request, authorize Authorizer) (Submission, error) {
	refused := Submission{SubmissionID: request.SubmissionID}
	preferred := p.Preferred(request.Preference)
	commands, refusal := p.PrepareCommands(request.Commands, preferred)
	if refusal != nil {
		return refused, refusal
	}
	actAs, readAs := SortedParties(request.ActAs), SortedParties(request.ReadAs)
	who, err := authorize(request.UserID, actAs, readAs)
	if err != nil {
		return refused, err
	}
	if err := request.checkFields(node, who); err != nil {
		return refused, err
	}
	minimum, err := request.MinLedgerTime.Bound(request.Received)
	if err != nil {
		return refused, err
	}
	deduplication, err := request.Deduplication.Period()
	if err != nil {
		return refused, err
	}
	disclosed, err := p.ReadDisclosed(node, request.Disclosed)
	if err != nil {
		return refused, err
	}
	if err := p.checkSelection(request, preferred); err != nil {
		return refused, err
	}
	return Submission{
		Identity: who, CommandID: request.CommandID, SubmissionID: request.SubmissionID, WorkflowID: request.WorkflowID,
		ActAs: actAs, ReadAs: readAs, Commands: commands, Deduplication: deduplication, MinLedgerTime: minimum,
		Disclosed: disclosed, Preference: request.Preference, ReceivedAt: request.Received, Kind: KindCommand,
	}, nil
}

// CheckSubmissionIDs checks the ids of a submission in the documented order. Only the command id is required.
func CheckSubmissionIDs(workflowID string, who Identity, commandID, submissionID string) error {
	if workflowID != "" {
		if err := CheckLedgerString(workflowID); err != nil {
			return fault.InvalidArgumentf("workflow_id: %s", err)
		}
	}
	if err := who.CheckUser(); err != nil {
		return err
	}
	if commandID == "" {
		return fault.MissingFieldNamed("command_id")
	}
	if err := CheckLedgerString(commandID); err != nil {
		return fault.InvalidFieldNamed("command_id", err.Error())
	}
	if submissionID != "" {
		if err := CheckLedgerString(submissionID); err != nil {
			return fault.InvalidFieldNamed("submission_id", err.Error())
		}
	}
	return nil
}

func (r Request) checkFields(node Node, who Identity) error {
	if err := CheckSubmissionIDs(r.WorkflowID, who, r.CommandID, r.SubmissionID); err != nil {
		return err
	}
	for _, party := range slices.Concat(r.ActAs, r.ReadAs) {
		if err := CheckParty(string(party)); err != nil {
			return fault.InvalidArgumentf("%s", err)
		}
	}
	if err := node.CheckSynchronizer(r.SynchronizerID, "synchronizer_id"); err != nil {
		return err
	}
	if len(r.Commands) == 0 {
		return fault.MissingFieldNamed("commands")
	}
	for _, command := range r.Commands {
		if command.Exercise == nil {
			continue
		}
		id := string(command.Exercise.Contract)
		if id == "" {
			return fault.MissingFieldNamed("contract_id")
		}
		if err := CheckContractID(id); err != nil {
			return fault.InvalidFieldNamed("contract_id", err.Error())
		}
	}
	return nil
}

// maxPasses is the most passes of package selection that a request may allow (upstream's limit). One is always enough.
const maxPasses = 4

// checkSelection checks the fields that guide package selection. Prefetching does nothing, because the node looks keys
// up on demand. Its templates and keys are checked like those of commands by key.
func (p *Packages) checkSelection(request Request, preferred []lf.PackageID) error {
	byName := make(map[string]lf.PackageID, len(request.Preference))
	for _, id := range request.Preference {
		if err := CheckPackageID(string(id)); err != nil {
			return fault.InvalidArgumentf("package_id_selection_preference: %s", err)
		}
		name := p.PackageName(id)
		if name == "" {
			return fault.InvalidArgumentf("package_id_selection_preference: package %s is not known", id)
		}
		if other, taken := byName[name]; taken && other != id {
			return fault.InvalidArgumentf(
				"package_id_selection_preference: %s and %s are both packages of the name %s", other, id, name)
		}
		byName[name] = id
	}
	for _, key := range request.Prefetch {
		key.Choice = archiveChoice
		if _, refusal := p.prepareCommand(Command{ExerciseByKey: &key}, preferred); refusal != nil {
			return refusal
		}
	}
	if passes := request.MaxPasses; passes != nil && (*passes < 1 || *passes > maxPasses) {
		return fault.InvalidArgumentf("taps_max_passes must be between 1 and %d, but is %d", maxPasses, *passes)
	}
	return nil
}

// ReadDisclosed decodes disclosed contracts and checks them against their ids.
func (p *Packages) ReadDisclosed(node Node, list []DisclosedContract) ([]Contract, error) {
	var contracts []Contract
	blobs := make(map[ContractID]string, len(list))
	for _, disclosed := range list {
		contract, err := p.readDisclosedContract(node, disclosed)
		if err != nil {
			return nil, err
		}
		blob, repeated := blobs[contract.ID]
		switch {
		case !repeated:
			blobs[contract.ID] = string(disclosed.Blob)
			contracts = append(contracts, contract)
		case blob != string(disclosed.Blob):
			return nil, fault.DisclosedContractsConflictingPayloads.
				New("contract %s is disclosed twice with different content", contract.ID)
		}
	}
	return contracts, nil
}

func (p *Packages) readDisclosedContract(node Node, disclosed DisclosedContract) (Contract, error) {
	if len(disclosed.Blob) == 0 {
		return Contract{}, fault.MissingFieldNamed("DisclosedContract.createdEventBlob")
	}
	if disclosed.ContractID != "" {
		if err := CheckContractID(disclosed.ContractID); err != nil {
			return Contract{}, fault.InvalidFieldNamed("DisclosedContract.contract_id", err.Error())
		}
	}
	if err := node.CheckSynchronizer(disclosed.SynchronizerID, "DisclosedContract.synchronizer_id"); err != nil {
		return Contract{}, err
	}
	contract, err := DecodeBlob(disclosed.Blob)
	if err != nil {
		return Contract{}, fault.InvalidArgumentf("Unable to decode disclosed contract event payload: %s", err).
			WithHint("Send the createdEventBlob of the event unchanged.")
	}
	if disclosed.ContractID != "" && disclosed.ContractID != string(contract.ID) {
		return Contract{}, fault.InvalidArgumentf(
			"Mismatch between DisclosedContract.contract_id (%s) and contract_id from decoded createdEventBlob (%s)",
			disclosed.ContractID, contract.ID)
	}
	if disclosed.Template != nil && !p.isTemplateOf(*disclosed.Template, contract) {
		return Contract{}, fault.InvalidArgumentf(
			"Mismatch between DisclosedContract.template_id (%s) and template_id from decoded createdEventBlob (%s)",
			disclosed.Template, contract.Template)
	}
	return contract, nil
}

func (p *Packages) isTemplateOf(name lf.TypeName, contract Contract) bool {
	if name.QualifiedName() != contract.Template.QualifiedName() {
		return false
	}
	if name.Package == contract.Template.Package || strings.TrimPrefix(string(name.Package), "#") == contract.PackageName {
		return true
	}
	id, known, refusal := p.ResolvePackage(name.Package, nil) // another name or version of the package
	return refusal == nil && known && id == contract.Template.Package
}

// SplitDuration is a duration in seconds and nanoseconds, as in protobuf. It may be longer than a [time.Duration] can
// be.
type SplitDuration struct {
	Seconds int64
	Nanos   int32
}

// MaxDuration is the longest duration in a request: 292 years, three seconds less than the type's maximum, so that any
// nanoseconds fit.
const MaxDuration = 9_223_372_033 * time.Second

// join is the duration of a field, which must not be negative.
func (d SplitDuration) join(field string) (time.Duration, error) {
	const longest = int64(MaxDuration / time.Second)
	if d.Seconds > longest {
		return 0, fault.InvalidFieldNamed(field, fmt.Sprintf("Duration must be at most %d seconds (292 years), but is %d",
			longest, d.Seconds))
	}
	joined := time.Duration(max(d.Seconds, -longest))*time.Second + time.Duration(d.Nanos)
	if joined < 0 {
		return 0, fault.InvalidFieldNamed(field, "Duration must be positive")
	}
	return joined, nil
}

// RequestedDeduplication is the deduplication period of a request; without a field it is the maximum of the node.
type RequestedDeduplication struct {
	Duration *SplitDuration
	Offset   *int64
}

// Period checks the period; nil is the maximum of the node.
func (r RequestedDeduplication) Period() (*DeduplicationPeriod, error) {
	switch {
	case r.Duration != nil:
		duration, err := r.Duration.join("deduplication_period")
		if err != nil {
			return nil, err
		}
		return &DeduplicationPeriod{Duration: &duration}, nil
	case r.Offset != nil && *r.Offset < 0:
		return nil, fault.NegativeOffsetIn("deduplication_period", *r.Offset)
	case r.Offset != nil:
		return &DeduplicationPeriod{Offset: new(Offset(*r.Offset))}, nil
	default:
		return nil, nil // no period is a value of its own
	}
}

// The instants that the ledger can name.
var (
	firstInstant = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	lastInstant  = time.Date(9999, time.December, 31, 23, 59, 59, 999_999_000, time.UTC)
)

// MinLedgerTime is the lower bound of the ledger time in a request: an instant, or a duration after the node received
// the request.
type MinLedgerTime struct {
	At    *time.Time
	After *SplitDuration
	// MaxAhead limits the time between the receipt of the request and the bound.
	MaxAhead time.Duration
}

// Bound is the instant, nil without one.
func (m MinLedgerTime) Bound(received time.Time) (*time.Time, error) {
	var bound time.Time
	switch {
	case m.At != nil && m.After != nil:
		return nil, fault.InvalidArgumentf(
			"min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel").
			WithHint("Send one of the two.")
	case m.At != nil:
		bound = *m.At
	case m.After != nil:
		seconds := m.After.Seconds
		if seconds > lastInstant.Unix()-received.Unix() || seconds < firstInstant.Unix()-received.Unix() {
			return nil, fault.InvalidArgumentf("min_ledger_time_rel of %d seconds gives a time outside the years 0001 to 9999",
				seconds)
		}
		bound = time.Unix(received.Unix()+seconds, int64(received.Nanosecond())+int64(m.After.Nanos)).UTC()
	default:
		return nil, nil // no bound is a value of its own
	}
	if bound.Before(firstInstant) || bound.After(lastInstant) {
		return nil, fault.InvalidArgumentf("the minimum ledger time %s is outside the years 0001 to 9999",
			bound.Format(time.RFC3339))
	}
	if latest := received.Add(m.MaxAhead); bound.After(latest) {
		return nil, fault.InvalidArgumentf("the minimum ledger time %s is too far away: a submission may wait at most "+
			"%s", bound.Format(time.RFC3339), m.MaxAhead).
			WithHint("Submit the command closer to that time.")
	}
	return &bound, nil
}

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

// BlobBytes is an upper limit for the bytes of a contract's blob, to count them before it exists.
func BlobBytes(c Contract) int {
	const facts = 512 // ids, names of fields, the time and the hash of a key
	size := facts + escapedLength([]byte(c.PackageName+c.Template.String())) + escapedLength(c.Payload)
	for _, party := range slices.Concat(c.Signatories, c.Observers) {
		size += len(party) + len(`"",`)
	}
	if c.Key == nil {
		return size
	}
	for _, party := range c.Key.Maintainers {
		size += len(party) + len(`"",`)
	}
	return size + escapedLength(c.Key.Value)
}

// escapedLength is the length of JSON inside JSON: the encoder writes some characters as \u and their number.
func escapedLength(text []byte) int {
	size := len(text)
	for _, char := range []string{"<", ">", "&", "\u2028", "\u2029"} {
		size += bytes.Count(text, []byte(char)) * (len(`\u2028`) - len(char))
	}
	return size
}

// DecodeBlob is the inverse of [EncodeBlob]. It checks the content against the contract id.
func DecodeBlob(blob []byte) (Contract, error) {
	if len(blob) == 0 || blob[0] != blobVersion {
		return Contract{}, errors.New("not a created event blob of this node")
	}
	decoder := json.NewDecoder(bytes.NewReader(blob[1:]))
	decoder.DisallowUnknownFields()
	var c Contract
	if decoder.Decode(&c) != nil { // the decoder's error names Go types, which mean nothing to clients
		return Contract{}, errors.New("the created event blob cannot be read")
	}
	return c, AuthenticateContract(c)
}
