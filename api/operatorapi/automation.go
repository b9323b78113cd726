package operatorapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Automation stores the state of the automations.
type Automation interface {
	// Automations lists the kinds.
	Automations(ctx context.Context) ([]db.Automation, error)
	// Troubles lists the refused subjects of a kind in pages.
	Troubles(ctx context.Context, kind, after string, limit int32) ([]db.AutomationTask, error)
	// NudgeTasks makes refused subjects of a kind due: one, or all.
	NudgeTasks(ctx context.Context, kind, subject string) (int64, error)
	// CallWorkflows wakes the starters of runs.
	CallWorkflows(ctx context.Context) error
}

const (
	automationPath = "/v0/admin/automation"
	// firstTroubles is the number of troubles of each kind in the list of kinds.
	firstTroubles = 20
	// pauseTimeout is the maximum time to ask Temporal for pauses.
	pauseTimeout = 2 * time.Second
)

func (a *API) automationEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: automationPath, OperationID: "listAutomation", Tag: "Automation",
			Access: endpoint.Admin, Summary: "List the automations of the node and their troubles.",
			Description: "Each kind has a Schedule in Temporal, which can pause it. A trouble is a wallet or another subject " +
				"with a refused submission. The node tries it again after longer and longer waits, and in the end only " +
				"after a nudge. The list has the first troubles of each kind.",
		}, a.listAutomation),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: automationPath + "/{kind}/troubles", OperationID: "listTroubles",
			Tag: "Automation", Access: endpoint.Admin, Summary: "List the troubles of one kind of automation.",
		}, a.listTroubles),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: automationPath + "/{kind}/run", OperationID: "runAutomation", Tag: "Automation",
			Access: endpoint.Admin, Summary: "Retry the troubles of one kind of automation now.",
			Description: "The answer does not wait for the result: see the list of troubles. A paused automation retries " +
				"after the pause.",
		}, a.runAutomation),
		endpoint.New(endpoint.Info{
			Method: http.MethodPut, Path: automationPath + "/{kind}/paused", OperationID: "pauseAutomation",
			Tag: "Automation", Access: endpoint.Admin, Summary: "Pause or resume one kind of automation.",
			Description: "It pauses the Schedule in Temporal, with the user's name as its note. Nothing starts the kind any " +
				"more after five seconds at most; a run that goes on ends. Due work waits until the kind is resumed.",
		}, a.pauseAutomation),
	}
}

// AutomationResponse lists the kinds of automation.
type AutomationResponse struct {
	Automations []AutomationKind `json:"automations" required:"true" doc:"The kinds"`
}

// AutomationKind is one automation of the node.
type AutomationKind struct {
	Kind     string              `json:"kind" required:"true" doc:"Name of the kind"`
	Schedule string              `json:"schedule" required:"true" doc:"The id of its Schedule in Temporal"`
	Paused   bool                `json:"paused" required:"true" doc:"Whether the Schedule is paused"`
	LastRun  *endpoint.Timestamp `json:"last_run" doc:"Ledger time of the last run; null before the first"`
	NextDue  *endpoint.Timestamp `json:"next_due" doc:"Ledger time of the next run; null: nothing is due"`
	Done     int64               `json:"done" required:"true" doc:"Accepted submissions since the start of the ledger"`
	Refused  int64               `json:"refused" required:"true" doc:"Refused submissions"`

	TroubleCount int64     `json:"trouble_count" required:"true" doc:"Number of troubles"`
	Troubles     []Trouble `json:"troubles" required:"true" doc:"The first troubles"`
}

// Trouble is a refused subject.
type Trouble struct {
	Subject   string              `json:"subject" required:"true" doc:"The wallet, contract or other subject"`
	CommandID string              `json:"command_id" required:"true" doc:"The last refused command; empty: none"`
	Tries     int32               `json:"tries" required:"true" doc:"Number of refusals in a row"`
	Refusal   string              `json:"refusal" required:"true" doc:"Reason of the last refusal"`
	NextTry   *endpoint.Timestamp `json:"next_try" doc:"Ledger time of the next try; null: it needs a nudge"`
	Stuck     bool                `json:"stuck" required:"true" doc:"Whether it needs a nudge"`
}

func (a *API) listAutomation(ctx context.Context, _ endpoint.NoRequest) (AutomationResponse, error) {
	kinds, err := a.options.Automation.Automations(ctx)
	if err != nil {
		return AutomationResponse{}, err
	}
	a.refreshPauses(ctx, kinds)
	response := AutomationResponse{Automations: make([]AutomationKind, len(kinds))}
	for i, kind := range kinds {
		troubles, err := a.options.Automation.Troubles(ctx, kind.Kind, "", firstTroubles)
		if err != nil {
			return AutomationResponse{}, err
		}
		response.Automations[i] = AutomationKind{
			Kind: kind.Kind, Schedule: a.options.Schedule(kind.Kind), Paused: kind.Paused,
			LastRun: ledgerTime(kind.RanAt), NextDue: a.dueTime(kind.NextAt), Done: kind.Done, Refused: kind.Refused,
			TroubleCount: kind.Troubles, Troubles: a.toAPITroubles(troubles),
		}
	}
	return response, nil
}

// ledgerTime converts a time; nil for none and for never.
func ledgerTime(at time.Time) *endpoint.Timestamp {
	if at.IsZero() || !at.Before(lf.MaxTimestamp().Time()) {
		return nil
	}
	return new(endpoint.Timestamp(at))
}

// dueTime converts a due time. Tasks that are due at once are stored with the epoch; dueTime shows the current time.
func (a *API) dueTime(at time.Time) *endpoint.Timestamp {
	if !at.IsZero() && !at.After(time.Unix(0, 0)) {
		at = a.options.Now()
	}
	return ledgerTime(at)
}

// refreshPauses reads the current pauses from Temporal: the node itself reads them only when something is due.
func (a *API) refreshPauses(ctx context.Context, kinds []db.Automation) {
	if a.options.Paused == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pauseTimeout)
	defer cancel()
	var group sync.WaitGroup
	for i := range kinds {
		group.Go(func() {
			if paused, err := a.options.Paused(ctx, a.options.Schedule(kinds[i].Kind)); err == nil {
				kinds[i].Paused = paused
			}
		})
	}
	group.Wait()
}

func (a *API) toAPITroubles(tasks []db.AutomationTask) []Trouble {
	troubles := make([]Trouble, len(tasks))
	for i, task := range tasks {
		next := a.dueTime(task.DueAt)
		troubles[i] = Trouble{
			Subject: task.Subject, CommandID: task.CommandID, Tries: task.Tries, Refusal: task.Refusal,
			NextTry: next, Stuck: next == nil,
		}
	}
	return troubles
}

type troublesRequest struct {
	Kind  string `path:"kind" doc:"The kind of automation"`
	After string `query:"after" doc:"Last subject of the previous page"`
	Limit *int64 `query:"limit" doc:"Maximum number of troubles: 1 to 1000; default 100"`
}

// TroublesResponse lists troubles in order of their subjects.
type TroublesResponse struct {
	Troubles []Trouble `json:"troubles" required:"true" doc:"The troubles"`
}

func (a *API) listTroubles(ctx context.Context, req troublesRequest) (TroublesResponse, error) {
	limit, err := pageSize(req.Limit)
	if err != nil {
		return TroublesResponse{}, err
	}
	if _, err := a.kind(ctx, req.Kind); err != nil {
		return TroublesResponse{}, err
	}
	tasks, err := a.options.Automation.Troubles(ctx, req.Kind, req.After, limit)
	return TroublesResponse{Troubles: a.toAPITroubles(tasks)}, err
}

// kind finds a kind of automation, or refuses its name with a list of the kinds.
func (a *API) kind(ctx context.Context, name string) (db.Automation, error) {
	kinds, err := a.options.Automation.Automations(ctx)
	if err != nil {
		return db.Automation{}, err
	}
	var names []string
	for i, kind := range kinds {
		if kind.Kind == name {
			a.refreshPauses(ctx, kinds[i:i+1])
			return kinds[i], nil
		}
		names = append(names, kind.Kind)
	}
	return db.Automation{}, v0.NotFound("There is no automation of the kind %q. The kinds are %q.", name, names)
}

type runAutomationRequest struct {
	Kind string            `path:"kind" doc:"The kind of automation"`
	Body runAutomationBody `body:"json"`
}

type runAutomationBody struct {
	Subject string `json:"subject" doc:"Subject of the trouble; left out: all subjects"`
}

// RunAutomationResponse counts the retries.
type RunAutomationResponse struct {
	Nudged int64 `json:"nudged" required:"true" doc:"Number of troubles to retry now"`
	Paused bool  `json:"paused" required:"true" doc:"Whether they wait because the Schedule is paused"`
}

func (a *API) runAutomation(ctx context.Context, req runAutomationRequest) (RunAutomationResponse, error) {
	kind, err := a.kind(ctx, req.Kind)
	if err != nil {
		return RunAutomationResponse{}, err
	}
	nudged, err := a.options.Automation.NudgeTasks(ctx, req.Kind, req.Body.Subject)
	if err != nil {
		return RunAutomationResponse{}, err
	}
	if nudged == 0 && req.Body.Subject != "" {
		return RunAutomationResponse{}, v0.NotFound("The automation %q has no trouble with %q.", req.Kind, req.Body.Subject)
	}
	return RunAutomationResponse{Nudged: nudged, Paused: kind.Paused}, a.options.Automation.CallWorkflows(ctx)
}

type pauseAutomationRequest struct {
	Kind string              `path:"kind" doc:"The kind of automation"`
	Body pauseAutomationBody `body:"json"`
}

type pauseAutomationBody struct {
	endpoint.Strict

	Paused bool `json:"paused" required:"true" doc:"True pauses the kind, false resumes it"`
}

// PauseAutomationResponse is the state after the change.
type PauseAutomationResponse struct {
	Paused bool `json:"paused" required:"true" doc:"Whether the kind is paused now"`
}

func (a *API) pauseAutomation(ctx context.Context, req pauseAutomationRequest) (PauseAutomationResponse, error) {
	if _, err := a.kind(ctx, req.Kind); err != nil {
		return PauseAutomationResponse{}, err
	}
	by := ledger.IdentityText(endpoint.Claims(ctx).Identity())
	if err := a.options.Pause(ctx, a.options.Schedule(req.Kind), req.Body.Paused, by); err != nil {
		return PauseAutomationResponse{}, err
	}
	response := PauseAutomationResponse{Paused: req.Body.Paused}
	if req.Body.Paused {
		return response, nil
	}
	return response, a.options.Automation.CallWorkflows(ctx)
}
