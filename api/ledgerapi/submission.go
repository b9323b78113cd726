package ledgerapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// newSubmission checks a composite command from top to bottom, so that the first violation wins as with upstream's
// server, and makes the submission of it. With an error the submission has at most its submission id.
func (a *API) newSubmission(ctx context.Context, body JsCommands) (ledger.Submission, error) {
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}, err
	}
	return a.newSubmissionFor(ctx, packages, body, submittingUser)
}

// authorizer checks the claims that a request needs, by the user that it names and its parties, and returns who it is
// made for.
type authorizer func(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error)

// newSubmissionFor is newSubmission by the packages that the whole request goes by.
func (a *API) newSubmissionFor(
	ctx context.Context, packages *ledger.Packages, body JsCommands, authorize authorizer,
) (ledger.Submission, error) {
	refused := ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}
	if len(body.ActAs) == 0 {
		return refused, fault.MissingFieldNamed("act_as/actAs")
	}
	if err := a.settings.Counts.check(body); err != nil {
		return refused, err
	}
	preference := ledger.FromStrings[lf.PackageID](body.PackageIDSelectionPreference)
	commands, refusal := packages.PrepareCommands(FromAPICommands(body.Commands), packages.Preferred(preference))
	if refusal != nil {
		return refused, refusal
	}
	actAs := ledger.SortedParties(v2.FromAPIParties(body.ActAs))
	readAs := ledger.SortedParties(v2.FromAPIParties(body.ReadAs))
	who, err := authorize(ctx, v2.OrEmpty(body.UserID), actAs, readAs)
	if err != nil {
		return refused, err
	}
	if err := a.checkSubmissionFields(body, who); err != nil {
		return refused, err
	}
	received := a.now().UTC().Truncate(time.Microsecond)
	minimum, err := a.minLedgerTime(body, received)
	if err != nil {
		return refused, err
	}
	deduplication, err := FromAPIDeduplicationPeriod(body.DeduplicationPeriod)
	if err != nil {
		return refused, err
	}
	disclosed, err := a.fromAPIDisclosed(packages, body.DisclosedContracts)
	if err != nil {
		return refused, err
	}
	if err := checkSelection(body, preference, packages); err != nil {
		return refused, err
	}
	submissionID := v2.OrEmpty(body.SubmissionID)
	if submissionID == "" {
		submissionID = uuid.NewString()
	}
	return ledger.Submission{
		Key: uuid.NewString(), Identity: who, CommandID: body.CommandID, SubmissionID: submissionID,
		WorkflowID: v2.OrEmpty(body.WorkflowID), ActAs: actAs, ReadAs: readAs, Commands: commands,
		Deduplication: deduplication, MinLedgerTime: minimum, Disclosed: disclosed, Preference: preference,
		ReceivedAt: received, Trace: endpoint.Trace(ctx), Kind: ledger.KindCommand,
		Admission: endpoint.Claims(ctx).Admission(ledger.AdmittedToAct),
	}, nil
}

// submittingUser checks the claims that a submission needs and returns whom it is made for.
func submittingUser(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error) {
	claims := endpoint.Claims(ctx)
	who, err := claims.SubmittingUser(requested)
	if err != nil {
		return ledger.Identity{}, err
	}
	if err := claims.RequireActAs(actAs...); err != nil {
		return ledger.Identity{}, err
	}
	return who, claims.RequireReadAs(ledger.MissingParties(actAs, readAs)...)
}

// checkSubmissionIDs checks the ids of a submission in the documented order. Only the command id must be there.
func checkSubmissionIDs(workflowID string, who ledger.Identity, commandID, submissionID string) error {
	if workflowID != "" {
		if err := ledger.CheckLedgerString(workflowID); err != nil {
			return fault.InvalidArgumentf("workflow_id: %s", err)
		}
	}
	if err := checkUserIDField(who); err != nil {
		return err
	}
	if commandID == "" {
		return fault.MissingFieldNamed("command_id")
	}
	if err := ledger.CheckLedgerString(commandID); err != nil {
		return fault.InvalidFieldNamed("command_id", err.Error())
	}
	if submissionID != "" {
		if err := ledger.CheckLedgerString(submissionID); err != nil {
			return fault.InvalidFieldNamed("submission_id", err.Error())
		}
	}
	return nil
}

// checkSubmissionFields checks the formats of the plain fields, in the documented order.
func (a *API) checkSubmissionFields(body JsCommands, who ledger.Identity) error {
	err := checkSubmissionIDs(v2.OrEmpty(body.WorkflowID), who, body.CommandID, v2.OrEmpty(body.SubmissionID))
	if err != nil {
		return err
	}
	if err := v2.CheckParties(slices.Concat(body.ActAs, body.ReadAs)); err != nil {
		return err
	}
	if err := v2.CheckSynchronizer(a.node, v2.OrEmpty(body.SynchronizerID), "synchronizer_id"); err != nil {
		return err
	}
	if len(body.Commands) == 0 {
		return fault.MissingFieldNamed("commands")
	}
	for _, command := range body.Commands {
		if err := checkContractID(command); err != nil {
			return err
		}
	}
	return nil
}

// checkUserIDField refuses a user id that is missing, which happens only without authorization, or malformed.
func checkUserIDField(who ledger.Identity) error {
	if who.UserID == "" {
		return fault.MissingFieldNamed("user_id")
	}
	if err := ledger.CheckUserID(who.UserID); err != nil {
		return fault.InvalidFieldNamed("user_id", err.Error())
	}
	return nil
}

func checkContractID(command Command) error {
	if command.ExerciseCommand == nil {
		return nil
	}
	id := command.ExerciseCommand.ContractID
	if id == "" {
		return fault.MissingFieldNamed("contract_id")
	}
	if err := ledger.CheckContractID(id); err != nil {
		return fault.InvalidFieldNamed("contract_id", err.Error())
	}
	return nil
}

// The instants that the ledger can name.
var (
	firstInstant = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	lastInstant  = time.Date(9999, time.December, 31, 23, 59, 59, 999_999_000, time.UTC)
)

// minLedgerTime is the lower bound of the ledger time from either form of it, nil without one.
func (a *API) minLedgerTime(body JsCommands, received time.Time) (*time.Time, error) {
	var bound time.Time
	switch {
	case body.MinLedgerTimeAbs != nil && body.MinLedgerTimeRel != nil:
		return nil, fault.InvalidArgumentf(
			"min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel").
			WithHint("Send one of the two.")
	case body.MinLedgerTimeAbs != nil:
		bound = time.Time(*body.MinLedgerTimeAbs)
	case body.MinLedgerTimeRel != nil:
		seconds := body.MinLedgerTimeRel.Seconds
		if seconds > lastInstant.Unix()-received.Unix() || seconds < firstInstant.Unix()-received.Unix() {
			return nil, fault.InvalidArgumentf("min_ledger_time_rel of %d seconds leads out of the years 0001 to 9999",
				seconds)
		}
		bound = time.Unix(received.Unix()+seconds, int64(received.Nanosecond())+int64(body.MinLedgerTimeRel.Nanos)).UTC()
	default:
		return nil, nil // no bound is a value of its own
	}
	if bound.Before(firstInstant) || bound.After(lastInstant) {
		return nil, fault.InvalidArgumentf("the minimum ledger time %s is outside the years 0001 to 9999",
			bound.Format(time.RFC3339))
	}
	if latest := received.Add(a.settings.MaxLedgerTimeAhead); bound.After(latest) {
		return nil, fault.InvalidArgumentf("the minimum ledger time %s is more than %s after now, which is as far ahead "+
			"as a submission may wait", bound.Format(time.RFC3339), a.settings.MaxLedgerTimeAhead).
			WithHint("Submit again when the time is nearer.")
	}
	return &bound, nil
}

// checkSelection checks what guides the selection of packages.
func checkSelection(body JsCommands, preference []lf.PackageID, packages *ledger.Packages) error {
	byName := make(map[string]lf.PackageID, len(preference))
	for _, id := range preference {
		if err := ledger.CheckPackageID(string(id)); err != nil {
			return fault.InvalidArgumentf("package_id_selection_preference: %s", err)
		}
		name := packages.PackageName(id)
		if name == "" {
			return fault.InvalidArgumentf("package_id_selection_preference: package %s is not known", id)
		}
		if other, taken := byName[name]; taken && other != id {
			return fault.InvalidArgumentf(
				"package_id_selection_preference: %s and %s are both packages of the name %s", other, id, name)
		}
		byName[name] = id
	}
	if err := checkPrefetch(body.PrefetchContractKeys, packages.Preferred(preference), packages); err != nil {
		return err
	}
	if passes := body.TapsMaxPasses; passes != nil && (*passes < 1 || *passes > maxPasses) {
		return fault.InvalidArgumentf("taps_max_passes must be between 1 and %d, but is %d", maxPasses, *passes)
	}
	return nil
}

// maxPasses is the most passes of package selection that a request may allow (upstream's limit). One is always enough.
const maxPasses = 4

// checkPrefetch checks templates and keys in the way commands by key are checked. Prefetching itself has nothing to do:
// keys are looked up when they are needed.
func checkPrefetch(keys []PrefetchContractKey, preference []lf.PackageID, packages *ledger.Packages) error {
	for _, key := range keys {
		probe := ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
			Template: key.TemplateID, Key: key.ContractKey, Choice: archiveChoice,
		}}
		if _, refusal := packages.PrepareCommands([]ledger.Command{probe}, preference); refusal != nil {
			return refusal
		}
	}
	return nil
}

// archiveChoice is the choice that every template has.
const archiveChoice = "Archive"

// FromAPICommands converts commands; the frame has seen to it that each has one kind.
func FromAPICommands(commands []Command) []ledger.Command {
	out := make([]ledger.Command, len(commands))
	for i, command := range commands {
		switch {
		case command.CreateCommand != nil:
			out[i].Create = &ledger.CreateCommand{
				Template: command.CreateCommand.TemplateID, Argument: command.CreateCommand.CreateArguments,
			}
		case command.ExerciseCommand != nil:
			exercise := command.ExerciseCommand
			out[i].Exercise = &ledger.ExerciseCommand{
				Template: exercise.TemplateID, Contract: ledger.ContractID(exercise.ContractID),
				Choice: exercise.Choice, Argument: exercise.ChoiceArgument,
			}
		case command.ExerciseByKeyCommand != nil:
			byKey := command.ExerciseByKeyCommand
			out[i].ExerciseByKey = &ledger.ExerciseByKeyCommand{
				Template: byKey.TemplateID, Key: byKey.ContractKey, Choice: byKey.Choice, Argument: byKey.ChoiceArgument,
			}
		case command.CreateAndExerciseCommand != nil:
			both := command.CreateAndExerciseCommand
			out[i].CreateAndExercise = &ledger.CreateAndExerciseCommand{
				Template: both.TemplateID, CreateArgument: both.CreateArguments,
				Choice: both.Choice, ChoiceArgument: both.ChoiceArgument,
			}
		}
	}
	return out
}

// FromAPIDeduplicationPeriod checks and converts a requested period; nil means the longest of the node.
func FromAPIDeduplicationPeriod(wire *DeduplicationPeriod) (*ledger.DeduplicationPeriod, error) {
	switch {
	case wire == nil:
		return nil, nil // no period is a value of its own
	case wire.DeduplicationDuration != nil:
		duration, err := v2.FromAPIDuration(wire.DeduplicationDuration.Value, "deduplication_period")
		if err != nil {
			return nil, err
		}
		return &ledger.DeduplicationPeriod{Duration: &duration}, nil
	case wire.DeduplicationOffset != nil:
		offset := wire.DeduplicationOffset.Value
		if offset < 0 {
			return nil, fault.NegativeOffsetIn("deduplication_period", offset)
		}
		return &ledger.DeduplicationPeriod{Offset: new(ledger.Offset(offset))}, nil
	default:
		return nil, nil // no period is a value of its own
	}
}

// ToAPIDeduplicationPeriod converts a reported period.
func ToAPIDeduplicationPeriod(period ledger.DeduplicationPeriod) *DeduplicationPeriod {
	switch {
	case period.Offset != nil:
		return &DeduplicationPeriod{DeduplicationOffset: endpoint.Valued(int64(*period.Offset))}
	case period.Duration != nil:
		return &DeduplicationPeriod{DeduplicationDuration: endpoint.Valued(v2.ToAPIDuration(*period.Duration))}
	default:
		return &DeduplicationPeriod{Empty: &v2.Nothing{}}
	}
}

// fromAPIDisclosed unpacks disclosed contracts and checks what the request says of them.
func (a *API) fromAPIDisclosed(
	packages *ledger.Packages, disclosed []DisclosedContract,
) ([]ledger.Contract, error) {
	var contracts []ledger.Contract
	blobs := make(map[ledger.ContractID]string, len(disclosed))
	for _, wire := range disclosed {
		contract, err := a.fromAPIDisclosedContract(packages, wire)
		if err != nil {
			return nil, err
		}
		blob, repeated := blobs[contract.ID]
		switch {
		case !repeated:
			blobs[contract.ID] = string(wire.CreatedEventBlob)
			contracts = append(contracts, contract)
		case blob != string(wire.CreatedEventBlob):
			return nil, fault.DisclosedContractsConflictingPayloads.
				New("contract %s is disclosed twice with different content", contract.ID)
		}
	}
	return contracts, nil
}

func (a *API) fromAPIDisclosedContract(
	packages *ledger.Packages, wire DisclosedContract,
) (ledger.Contract, error) {
	if len(wire.CreatedEventBlob) == 0 {
		return ledger.Contract{}, fault.MissingFieldNamed("DisclosedContract.createdEventBlob")
	}
	if wire.ContractID != "" {
		if err := ledger.CheckContractID(wire.ContractID); err != nil {
			return ledger.Contract{}, fault.InvalidFieldNamed("DisclosedContract.contract_id", err.Error())
		}
	}
	if err := v2.CheckSynchronizer(a.node, wire.SynchronizerID, "DisclosedContract.synchronizer_id"); err != nil {
		return ledger.Contract{}, err
	}
	contract, err := ledger.DecodeBlob(wire.CreatedEventBlob)
	if err != nil {
		return ledger.Contract{}, fault.InvalidArgumentf("Unable to decode disclosed contract event payload: %s", err).
			WithHint("Send the createdEventBlob of the event unchanged.")
	}
	if wire.ContractID != "" && wire.ContractID != string(contract.ID) {
		return ledger.Contract{}, fault.InvalidArgumentf(
			"Mismatch between DisclosedContract.contract_id (%s) and contract_id from decoded createdEventBlob (%s)",
			wire.ContractID, contract.ID)
	}
	if wire.TemplateID != nil && !isTemplate(packages, *wire.TemplateID, contract) {
		return ledger.Contract{}, fault.InvalidArgumentf(
			"Mismatch between DisclosedContract.template_id (%s) and template_id from decoded createdEventBlob (%s)",
			wire.TemplateID, contract.Template)
	}
	return contract, nil
}

// isTemplate reports whether a name, by package id or package name, is that of the contract's template.
func isTemplate(packages *ledger.Packages, name lf.TypeName, contract ledger.Contract) bool {
	if name.QualifiedName() != contract.Template.QualifiedName() {
		return false
	}
	if name.Package == contract.Template.Package || strings.TrimPrefix(string(name.Package), "#") == contract.PackageName {
		return true
	}
	id, known, refusal := packages.ResolvePackage(name.Package, nil) // another name or version of the package
	return refusal == nil && known && id == contract.Template.Package
}
