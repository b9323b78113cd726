package apitest

import (
	"context"
	"log/slog"

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
	return &committer{db: s.DB, activities: &activities.Activities{
		DB: s.DB, Packages: s.Packages, Catalog: s.Catalog, Node: s.Node, Clock: now,
		Log: slog.New(slog.DiscardHandler), Lifecycles: s.lifecycles(), Traffic: s.traffic,
	}}
}

type committer struct {
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
	_, err = c.activities.CommitSubmissions(ctx, activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	if err != nil {
		return ledger.Completion{}, err
	}
	completion, _, err := c.db.CompletionBySubmissionKey(ctx, submission.Key)
	return completion, err
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
