package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/florinledger/florin/client"
)

// submission is an empty submission of the parties with a new command id.
func (r *run) submission(stage string, actAs ...string) client.Commands {
	return client.Commands{
		CommandID: r.name + "-" + stage + "-" + strconv.FormatInt(r.sequence.Add(1), 10),
		ActAs:     actAs, ReadAs: []string{r.target.DSO},
	}
}

// tap mints one holding for the receiver, so that no later transfer spends it.
func (r *run) tap(stage string, w *wallet) client.Commands {
	submission := r.submission(stage, w.receiver)
	submission.Commands = []client.Command{r.coin.Tap(w.receiver, holdingAmount)}
	return submission
}

// transfer sends a part of one holding.
func (r *run) transfer(stage string, w *wallet) (client.Commands, error) {
	holding, ok := w.take()
	if !ok {
		return client.Commands{}, errExhausted
	}
	submission := r.submission(stage, w.sender, w.receiver)
	output := client.Output{Receiver: w.receiver, Amount: transferAmount}
	submission.Commands = []client.Command{r.coin.Transfer(w.sender, []string{holding}, output)}
	return submission, nil
}

// operation is the operation of a stage. Each client has its own wallet; under contention two clients share one and
// spend its holdings at the same time.
func (r *run) operation(stage, scenario, mode string, wallets []*wallet) (operation, error) {
	var submit func(context.Context, *wallet, client.Commands) error
	switch mode {
	case ModeAsync:
		submit = func(ctx context.Context, w *wallet, commands client.Commands) error {
			return w.client.Submit(ctx, commands)
		}
	case ModeGRPC:
		submit = func(ctx context.Context, w *wallet, commands client.Commands) error {
			_, err := w.calls.SubmitAndWait(ctx, commands)
			return err
		}
	case ModeWait:
		submit = func(ctx context.Context, w *wallet, commands client.Commands) error {
			_, err := w.client.SubmitAndWait(ctx, commands)
			return err
		}
	default:
		return nil, fmt.Errorf("there is no mode %q", mode)
	}
	turns := make([]int, len(wallets)) // each worker reads and writes its own
	return func(ctx context.Context, worker int) error {
		w := wallets[worker]
		if r.options.Contention {
			w = wallets[worker-worker%2]
		}
		if scenario == ScenarioWalletTap {
			return w.owner.tap(ctx, worker)
		}
		turns[worker]++
		if scenario == ScenarioTap || scenario == ScenarioMixed && turns[worker]%2 == 0 {
			return submit(ctx, w, r.tap(stage, w))
		}
		next := r.transfer
		if isUploaded(scenario) {
			next = func(stage string, w *wallet) (client.Commands, error) { return r.trade(stage, scenario, w) }
		}
		submission, err := next(stage, w)
		if err != nil {
			return err
		}
		return submit(ctx, w, submission)
	}, nil
}

// needsHoldings is the number of holdings for each worker, for a total number of submissions. It has a reserve, because
// workers do not do equal parts.
func needsHoldings(scenario string, submissions, workers int) int {
	each := submissions/workers*5/4 + 10
	switch scenario {
	case ScenarioTap, ScenarioWalletTap, ScenarioUploadedCreate, ScenarioUploadedExercise, ScenarioUploadedDvP:
		return 0
	case ScenarioMixed:
		return each/2 + 1
	default:
		return each
	}
}
