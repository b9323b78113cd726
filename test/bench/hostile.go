package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// hostileAccounts is the most accounts that run hostile code, hostileClients the connections of each.
	hostileAccounts = 8
	hostileClients  = 12
	// hostileViews is the number of contracts of each account whose view never ends.
	hostileViews = 200
	// hostileRounds is how often each phase is measured.
	hostileRounds = 4
	// readyPause is the pause between two looks at /readyz.
	readyPause = 100 * time.Millisecond
)

// Hostile is what ordinary clients have beside accounts whose code takes all that it can get.
type Hostile struct {
	// Clients is the number of ordinary clients: each is a user with a wallet that taps.
	Clients int            `json:"clients"`
	Phases  []HostilePhase `json:"phases"`
}

// HostilePhase is one measurement. Rates are per second, latencies in milliseconds, memory in MB.
type HostilePhase struct {
	Accounts int     `json:"accounts"`
	Taps     float64 `json:"tapsPerSecond"`
	Latency  Latency `json:"latencyMs"`
	// Refused is the number of refused taps, NotReady that of answers of /readyz other than 200.
	Refused  int `json:"refused"`
	NotReady int `json:"notReady"`
	// Ended and Stopped are hostile requests with an answer, and with a refusal.
	Ended   int      `json:"hostileEnded"`
	Stopped int      `json:"hostileRefused"`
	NodeMax *float64 `json:"nodeMostMb"`
	// CPU are the milliseconds of all work for a tap, with that for hostile requests. Unlike rates they do not depend on
	// other programs on the machine.
	CPU CPU `json:"cpuMs"`
}

// hostile measures taps of ordinary clients alone, beside one hostile account, and beside several new ones. These phases
// take turns, because the rate of a machine drifts and some phases have housekeeping of PostgreSQL or merges of coin.
func (r *run) hostile(ctx context.Context) error {
	wallets := r.wallets[:slices.Max(r.options.Concurrency)]
	if err := r.onboard(ctx, wallets); err != nil {
		return err
	}
	code, err := r.uploadHostileCode(ctx)
	if err != nil {
		return err
	}
	tap := func(ctx context.Context, worker int) error { return wallets[worker].owner.tap(ctx, worker) }
	r.options.Progress("warm up")
	if _, err := drive(ctx, len(wallets), schedule(ctx, 0, warmUpDuration), tap); err != nil {
		return err
	}
	result := &Hostile{Clients: len(wallets)}
	rounds := hostileRounds
	if r.options.Smoke {
		rounds = 1
	}
	for i, accounts := range append(slices.Repeat([]int{0, 1, 0, hostileAccounts}, rounds), 0) {
		r.options.Progress(fmt.Sprintf("%d ordinary clients beside %d hostile accounts", len(wallets), accounts))
		trappers, err := r.trappers(ctx, code, i, accounts)
		if err != nil {
			return fmt.Errorf("prepare hostile accounts: %w", err)
		}
		phase, err := r.besideTraps(ctx, len(wallets), tap, trappers)
		if err != nil {
			return err
		}
		phase.Accounts = accounts
		result.Phases = append(result.Phases, phase)
	}
	r.report.Hostile = result
	return nil
}

// hostileCode has the ids of the templates and the interface of the packages.
type hostileCode struct{ trap, mask, face string }

func (r *run) uploadHostileCode(ctx context.Context) (hostileCode, error) {
	admin := r.client.With(client.Token(r.target.Secret, r.target.Audience, adminUser))
	var traps, faces, masks dartest.Package
	err := compile(func(tb dartest.TB) {
		traps, faces = dartest.Compile(tb, dartest.Traps), dartest.Compile(tb, dartest.Faces)
		masks = dartest.Compile(tb, dartest.Masks("masks", faces, "M:endless (M:Mask {text} this)"))
		for _, dar := range [][]byte{dartest.DAR(tb, traps), dartest.DAR(tb, masks, faces)} {
			if err := admin.UploadDAR(ctx, dar); err != nil {
				tb.Fatal(err)
			}
		}
	})
	if err != nil {
		return hostileCode{}, fmt.Errorf("upload hostile packages: %w", err)
	}
	return hostileCode{
		trap: string(traps.ID) + ":T:Trap", mask: string(masks.ID) + ":M:Mask", face: string(faces.ID) + ":F:Face",
	}, nil
}

// compile runs code that makes packages.
func compile(run func(dartest.TB)) (err error) {
	defer func() {
		if failed, ok := recover().(failure); ok {
			err = failed.err
		}
	}()
	run(failures{})
	return nil
}

// failures ends the making of packages by a panic with a failure. It implements [dartest.TB].
type failures struct{}

type failure struct{ err error }

func (failures) Helper() {}

func (f failures) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func (failures) Fatalf(format string, args ...any) {
	panic(failure{fmt.Errorf(format, args...)}) //nolint:forbidigo // compile recovers
}

// trapper is a hostile account, with a trap and masks.
type trapper struct {
	*resident

	run  *run
	code hostileCode
	trap string
}

func (r *run) trappers(ctx context.Context, code hostileCode, phase, count int) ([]*trapper, error) {
	var trappers []*trapper
	for i := range count {
		owner, err := r.settleIn(ctx, fmt.Sprintf("hostile-%d-%d", phase, i+1))
		if err != nil {
			return nil, err
		}
		t := &trapper{resident: owner, run: r, code: code}
		created, err := owner.client.SubmitAndWaitForTransaction(ctx, t.submission(client.Command{
			Create: &client.Create{TemplateID: code.trap, CreateArguments: map[string]any{"owner": owner.party}},
		}))
		if err != nil {
			return nil, err
		}
		t.trap = created.Created("T:Trap")[0].ContractID
		commands := make([]client.Command, hostileViews)
		for i := range commands {
			commands[i].Create = &client.Create{
				TemplateID: code.mask, CreateArguments: map[string]any{"owner": owner.party, "text": "a mask"},
			}
		}
		if _, err := owner.client.SubmitAndWait(ctx, t.submission(commands...)); err != nil {
			return nil, err
		}
		if r.hostileClient != nil {
			owner.client = r.hostileClient.With(client.Token(r.target.Secret, r.target.Audience, owner.user))
		}
		trappers = append(trappers, t)
	}
	return trappers, nil
}

func (t *trapper) submission(commands ...client.Command) client.Commands {
	submission := t.run.submission("hostile", t.party)
	submission.ReadAs, submission.Commands = nil, commands
	return submission
}

func (t *trapper) spring(choice string) client.Commands {
	return t.submission(client.Command{Exercise: &client.Exercise{
		TemplateID: t.code.trap, ContractID: t.trap, Choice: choice, ChoiceArgument: map[string]any{},
	}})
}

// attack makes one hostile request; each connection of an account has a kind of its own.
func (t *trapper) attack(ctx context.Context, connection int) error {
	switch choices := []string{"Loop", "Double", "Grow", "Deep"}; connection % 6 { //nolint:mnd // the kinds
	case 4:
		loop := t.spring("Loop")
		return t.client.Post(ctx, "/v2/interactive-submission/prepare", map[string]any{
			"commandId": loop.CommandID, "actAs": loop.ActAs, "commands": loop.Commands,
			"synchronizerId": "", "packageIdSelectionPreference": []string{}, "verboseHashing": false,
		}, nil)
	case 5:
		end, err := t.client.LedgerEnd(ctx)
		if err != nil {
			return err
		}
		return t.client.Post(ctx, "/v2/state/active-contracts", map[string]any{
			"activeAtOffset": end, "eventFormat": map[string]any{"verbose": false, "filtersByParty": map[string]any{
				t.party: map[string]any{"cumulative": []any{map[string]any{"identifierFilter": map[string]any{
					"InterfaceFilter": map[string]any{"value": map[string]any{
						"interfaceId": t.code.face, "includeInterfaceView": true, "includeCreatedEventBlob": false,
					}},
				}}}},
			}},
		}, nil)
	default:
		_, err := t.client.SubmitAndWait(ctx, t.spring(choices[connection%6]))
		return err
	}
}

// besideTraps measures the taps while hostile accounts make requests. Their code may run on after the last answer; the
// measurement ends when the machine rests, so that the next one begins on a quiet node.
func (r *run) besideTraps(ctx context.Context, clients int, tap operation, trappers []*trapper) (HostilePhase, error) {
	var phase HostilePhase
	var group sync.WaitGroup
	var failed error
	aside, stop := context.WithCancel(ctx)
	defer stop()
	if len(trappers) > 0 {
		group.Go(func() {
			next := schedule(ctx, 0, r.options.Duration)
			var had load
			had, failed = drive(ctx, len(trappers)*hostileClients, next, func(ctx context.Context, worker int) error {
				return trappers[worker%len(trappers)].attack(ctx, worker/len(trappers))
			})
			phase.Ended, phase.Stopped = had.done, had.refused
		})
	}
	var beside sync.WaitGroup
	beside.Go(func() { phase.NotReady = r.watchReady(aside) })
	beside.Go(func() { phase.NodeMax = r.watchMemory(aside) })
	before := r.meter.read(ctx)
	taps, err := drive(ctx, clients, schedule(ctx, 0, r.options.Duration), tap)
	phase.CPU = perSubmission(before, r.meter.read(ctx), taps.done)
	stop()
	beside.Wait()
	group.Wait()
	phase.Taps, phase.Latency, phase.Refused = taps.perSecond(), spread(taps.latencies), taps.refused
	if err == nil {
		err = failed
	}
	if err == nil {
		err = awaitQuiet(ctx, procDir)
	}
	return phase, err
}

// watchReady counts the answers of /readyz other than 200.
func (r *run) watchReady(ctx context.Context) (notReady int) {
	for wait.For(ctx, readyPause) == nil {
		if _, err := r.client.Text(ctx, "/readyz"); err != nil && ctx.Err() == nil {
			notReady++
		}
	}
	return notReady
}

func (r *Report) printHostile(w io.Writer, h *Hostile) {
	writeText(w, "\nTaps of %d users over %d connections, beside accounts whose code never ends; latencies in ms",
		h.Clients, h.Clients)
	line(w, "hostile accounts", "taps/s", "50 %", "99 %", "CPU ms", "refused", "not ready", "hostile answers",
		"refused", "node MB")
	for _, one := range h.Phases {
		line(w, strconv.Itoa(one.Accounts), fmt.Sprintf("%.0f", one.Taps), ms(one.Latency.P50), ms(one.Latency.P99),
			figure("%.2f", one.CPU.total()), strconv.Itoa(one.Refused), strconv.Itoa(one.NotReady), strconv.Itoa(one.Ended), strconv.Itoa(one.Stopped),
			rate(one.NodeMax))
	}
}
