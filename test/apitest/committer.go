package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// Submitter is the server's submitter, for tests that wrap it.
func (s *Server) Submitter() ledgerapi.Submitter { return s.committer() }

// WalletSubmitter is the submitter of wallets.
func (s *Server) WalletSubmitter() validator.Submitter { return s.committer() }

// committer commits submissions at once, with the real rules.
func (s *Server) committer() *committer {
	return &committer{tb: s.tb, db: s.DB, activities: &activities.Activities{
		DB: s.DB, Packages: s.Packages, Catalog: s.Catalog, Node: s.Node, Clock: now,
		Log: slog.New(slog.DiscardHandler), Lifecycles: s.lifecycles(), Traffic: s.traffic,
		Outcomes: activities.NewOutcomes(),
	}}
}

type committer struct {
	tb         testing.TB
	db         *db.DB
	activities *activities.Activities
}

// Submit implements [ledgerapi.Submitter].
func (c *committer) Submit(ctx context.Context, submission ledger.Submission) error {
	_, err := c.SubmitAndWait(ctx, submission)
	return err
}

// Onboard implements [ledgerapi.Onboarder].
func (c *committer) Onboard(
	ctx context.Context, _ ledger.Party, contribution topology.Contribution, _ bool,
) (topology.Outcome, error) {
	sealed, err := c.activities.SealContribution(ctx, contribution)
	if err != nil {
		return topology.Outcome{}, err
	}
	return c.activities.ContributeToOnboarding(ctx, sealed)
}

// OnboardingOf implements [external.Onboarder].
func (c *committer) OnboardingOf(party ledger.Party) string { return "onboard:" + string(party) }

// SubmitAndWait implements [ledgerapi.Submitter].
func (c *committer) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	submission, err := c.activities.Seal(ctx, submission)
	if err != nil {
		return ledger.Completion{}, err
	}
	var completion ledger.Completion
	c.activities.Outcomes.Expect(submission.Key, func(made ledger.Completion) { completion = made }, nil)
	_, err = c.activities.CommitSubmissions(ctx, activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	if err != nil {
		return ledger.Completion{}, err
	}
	return completion, c.compare(ctx, completion)
}

// compare checks that the update in hand is the one that was stored: the API answers with either.
func (c *committer) compare(ctx context.Context, completion ledger.Completion) error {
	if completion.Update == nil {
		return nil
	}
	stored, found, err := c.db.UpdateByID(ctx, completion.UpdateID)
	if err != nil || !found {
		return err
	}
	want, err := json.Marshal(stored)
	if err != nil {
		return fmt.Errorf("encode the stored update: %w", err)
	}
	got, err := json.Marshal(completion.Update)
	assert.JSONEq(c.tb, string(want), string(got))
	return err
}

// SubmitAndTrace implements [validator.Submitter].
func (c *committer) SubmitAndTrace(
	ctx context.Context, submission ledger.Submission,
) (ledger.Completion, string, error) {
	completion, err := c.SubmitAndWait(ctx, submission)
	return completion, "submit:" + submission.CommandID, err
}

// WorkflowOf implements [validator.Submitter].
func (c *committer) WorkflowOf(_ context.Context, completion ledger.Completion) (string, error) {
	return "submit:" + completion.CommandID, nil
}
