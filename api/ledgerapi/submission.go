package ledgerapi

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// newSubmission makes the submission of a composite command. With an error the submission has at most its submission
// id.
func (a *API) newSubmission(ctx context.Context, body JsCommands) (ledger.Submission, error) {
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}, err
	}
	return a.newSubmissionFor(ctx, packages, body, submittingUser)
}

// newSubmissionFor is newSubmission by the packages that the whole request goes by.
func (a *API) newSubmissionFor(
	ctx context.Context, packages *ledger.Packages, body JsCommands,
	authorize func(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error),
) (ledger.Submission, error) {
	request, err := a.fromAPIRequest(body)
	if err != nil {
		return ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}, err
	}
	submission, err := packages.ReadSubmission(a.node, request,
		func(requested string, actAs, readAs []ledger.Party) (ledger.Identity, error) {
			return authorize(ctx, requested, actAs, readAs)
		})
	if err != nil {
		return submission, err
	}
	submission.Key, submission.SubmissionID = uuid.NewString(), cmp.Or(submission.SubmissionID, uuid.NewString())
	submission.Trace = endpoint.Trace(ctx)
	submission.Admission = endpoint.Claims(ctx).Admission(ledger.AdmittedToAct)
	return submission, nil
}

// fromAPIRequest converts a composite command unless it holds too much.
func (a *API) fromAPIRequest(body JsCommands) (ledger.Request, error) {
	if len(body.ActAs) == 0 {
		return ledger.Request{}, fault.MissingFieldNamed("act_as/actAs")
	}
	if err := a.settings.Counts.check(body); err != nil {
		return ledger.Request{}, err
	}
	request := ledger.Request{
		UserID: v2.OrEmpty(body.UserID), CommandID: body.CommandID, SubmissionID: v2.OrEmpty(body.SubmissionID),
		WorkflowID: v2.OrEmpty(body.WorkflowID), SynchronizerID: v2.OrEmpty(body.SynchronizerID),
		ActAs: v2.FromAPIParties(body.ActAs), ReadAs: v2.FromAPIParties(body.ReadAs),
		Commands: FromAPICommands(body.Commands), MinLedgerTime: a.minLedgerTime(body.MinLedgerTimeAbs, body.MinLedgerTimeRel),
		Deduplication: fromAPIDeduplicationPeriod(body.DeduplicationPeriod),
		Preference:    ledger.FromStrings[lf.PackageID](body.PackageIDSelectionPreference),
		MaxPasses:     body.TapsMaxPasses, Received: a.receivedAt(),
	}
	for _, key := range body.PrefetchContractKeys {
		request.Prefetch = append(request.Prefetch,
			ledger.ExerciseByKeyCommand{Template: key.TemplateID, Key: key.ContractKey})
	}
	for _, wire := range body.DisclosedContracts {
		request.Disclosed = append(request.Disclosed, ledger.DisclosedContract{
			Blob: wire.CreatedEventBlob, Template: wire.TemplateID, ContractID: wire.ContractID,
			SynchronizerID: wire.SynchronizerID,
		})
	}
	return request, nil
}

// receivedAt is the time of a request, as the record can hold it.
func (a *API) receivedAt() time.Time { return a.now().UTC().Truncate(time.Microsecond) }

func (a *API) minLedgerTime(absolute *endpoint.Timestamp, relative *v2.Duration) ledger.MinLedgerTime {
	return ledger.MinLedgerTime{
		At: (*time.Time)(absolute), After: v2.FromAPIDuration(relative), MaxAhead: a.settings.MaxLedgerTimeAhead,
	}
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

func fromAPIDeduplicationPeriod(wire *DeduplicationPeriod) ledger.RequestedDeduplication {
	switch {
	case wire == nil:
		return ledger.RequestedDeduplication{}
	case wire.DeduplicationDuration != nil:
		return ledger.RequestedDeduplication{Duration: v2.FromAPIDuration(&wire.DeduplicationDuration.Value)}
	case wire.DeduplicationOffset != nil:
		return ledger.RequestedDeduplication{Offset: &wire.DeduplicationOffset.Value}
	default:
		return ledger.RequestedDeduplication{}
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

// The defaults of how much one submission may hold.
const (
	DefaultMaxCommands  = 1000
	DefaultMaxDisclosed = 1000
	DefaultMaxParties   = 1000
)

// Counts say how much one submission may hold. Zero means the defaults.
type Counts struct {
	// Commands is how many commands it may have.
	Commands int
	// Disclosed is how many contracts it may disclose, and how many keys it may have looked up beforehand.
	Disclosed int
	// Parties is how many parties it may act as, and how many it may read as.
	Parties int
}

func (c Counts) withDefaults() Counts {
	return Counts{
		Commands:  cmp.Or(c.Commands, DefaultMaxCommands),
		Disclosed: cmp.Or(c.Disclosed, DefaultMaxDisclosed),
		Parties:   cmp.Or(c.Parties, DefaultMaxParties),
	}
}

// check refuses a submission that holds too much, before anything is made of what it holds.
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
			return fault.InvalidArgumentf("%s has %d elements, and %d are the most in one submission",
				list.field, list.count, list.max).WithHint("Split it over several submissions.")
		}
	}
	return nil
}
