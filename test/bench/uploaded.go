package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
)

// goodsPerSubmission is the number of goods that one submission makes before a measurement.
const goodsPerSubmission = 100

// isUploaded reports whether a scenario uses contracts of an uploaded package.
func isUploaded(scenario string) bool {
	return scenario == ScenarioUploadedCreate || scenario == ScenarioUploadedExercise || scenario == ScenarioUploadedDvP
}

// needsGoods is the number of goods for each worker, with the reserve of [needsHoldings].
func needsGoods(scenario string, submissions, workers int) int {
	if scenario == ScenarioUploadedExercise || scenario == ScenarioUploadedDvP {
		return needsHoldings(ScenarioTransfer, submissions, workers)
	}
	return 0
}

// uploadGoods uploads the package of goods.
func (r *run) uploadGoods(ctx context.Context) error {
	if r.goods != "" {
		return nil
	}
	admin := r.client.With(client.Token(r.target.Secret, r.target.Audience, adminUser))
	return compile(func(tb dartest.TB) {
		goods := dartest.Compile(tb, dartest.Goods)
		if err := admin.UploadDAR(ctx, dartest.DAR(tb, goods)); err != nil {
			tb.Fatal(err)
		}
		r.goods = string(goods.ID) + ":G:"
	})
}

// good is the command that creates a good.
func (r *run) good(issuer, owner string) client.Command {
	return client.Command{Create: &client.Create{TemplateID: r.goods + "Good", CreateArguments: map[string]any{
		"issuer": issuer, "owner": owner, "quantity": "1",
	}}}
}

// stock makes goods of the senders and goods of the receivers, until each wallet has a number of both.
func (r *run) stock(ctx context.Context, wallets []*wallet, each int) error {
	if each == 0 {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(setupParallel)
	for _, w := range wallets {
		group.Go(func() error {
			for len(w.goods) < each {
				if err := r.produce(ctx, w); err != nil {
					return fmt.Errorf("make goods: %w", err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (r *run) produce(ctx context.Context, w *wallet) error {
	for owner, stock := range map[string]*[]string{w.sender: &w.goods, w.receiver: &w.prices} {
		submission := r.submission("stock", w.sender)
		for range goodsPerSubmission {
			submission.Commands = append(submission.Commands, r.good(w.sender, owner))
		}
		made, err := w.client.SubmitAndWaitForTransaction(ctx, submission)
		if err != nil {
			return err
		}
		for _, created := range made.Created("G:Good") {
			*stock = append(*stock, created.ContractID)
		}
	}
	return nil
}

// trade is a submission of a scenario of uploaded contracts.
func (r *run) trade(stage, scenario string, w *wallet) (client.Commands, error) {
	submission := r.submission(stage, w.sender, w.receiver)
	if scenario == ScenarioUploadedCreate {
		submission.Commands = []client.Command{r.good(w.sender, w.receiver)}
		return submission, nil
	}
	if len(w.goods) == 0 {
		return client.Commands{}, errExhausted
	}
	good := w.goods[0]
	w.goods = w.goods[1:]
	if scenario == ScenarioUploadedExercise {
		submission.Commands = []client.Command{{Exercise: &client.Exercise{
			TemplateID: r.goods + "Good", ContractID: good, Choice: "Move", ChoiceArgument: map[string]any{"to": w.receiver},
		}}}
		return submission, nil
	}
	price := w.prices[0]
	w.prices = w.prices[1:]
	submission.Commands = []client.Command{{CreateAndExercise: &client.CreateAndExercise{
		TemplateID: r.goods + "Deal", CreateArguments: map[string]any{"seller": w.sender, "buyer": w.receiver},
		Choice: "Settle", ChoiceArgument: map[string]any{"good": good, "price": price},
	}}}
	return submission, nil
}
