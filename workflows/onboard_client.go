package workflows

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/workflowid"
)

// Onboard sends a contribution to the workflow that onboards the party, and starts the workflow if there is none. With
// wait it returns the outcome of the contribution; without, it returns as soon as Temporal has it durably. If ctx ends
// first, a contribution that Temporal has goes on. The error is SERVICE_NOT_RUNNING if Temporal does not answer.
func (c *Client) Onboard(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	keys, err := c.options.Record.SealKeys(ctx)
	if err == nil {
		contribution.Seal, err = keys.Of(seal.Contribution, contribution)
	}
	if err != nil {
		return topology.Outcome{}, fmt.Errorf("seal a contribution: %w", err)
	}
	outcome, err := c.contribute(ctx, party, contribution, wait)
	// The workflow may end just when the contribution comes. A second try starts another one.
	if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
		outcome, err = c.contribute(ctx, party, contribution, wait)
	}
	switch {
	case err == nil:
		return outcome, nil
	case ctx.Err() != nil:
		return outcome, ctx.Err()
	}
	return topology.Outcome{}, fault.ServiceNotRunning.New("Temporal did not accept the onboarding of party %s", party).
		With("service_name", "temporal").Wrap(err).
		WithHint("Try again with the same transactions; GET /readyz shows which part of the node is not ready.")
}

// OnboardingOf is the id of the workflow that onboards a party.
func (c *Client) OnboardingOf(party ledger.Party) string {
	return c.options.Ledger.Name(onboardingWorkflowID(party).String())
}

func (c *Client) contribute(
	ctx context.Context, party ledger.Party, contribution topology.Contribution, wait bool,
) (topology.Outcome, error) {
	stage := client.WorkflowUpdateStageAccepted
	if wait {
		stage = client.WorkflowUpdateStageCompleted
	}
	handle, err := c.options.Temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.options.Temporal.NewWithStartWorkflowOperation(
			onboardingOptions(c.options.Ledger, party, contribution), onboardExternalParty,
			OnboardExternalPartyInput{Party: party, First: &contribution}),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: contribution.ID, UpdateName: ContributeUpdate, Args: []any{contribution}, WaitForStage: stage,
		},
	})
	outcome := topology.Outcome{Party: party, Progress: topology.Waiting}
	if err != nil || !wait {
		return outcome, err
	}
	return outcome, handle.Get(ctx, &outcome)
}

//nolint:forbidigo // it only changes the result of start
func onboardingOptions(
	of workflowid.Ledger, party ledger.Party, contribution topology.Contribution,
) client.StartWorkflowOptions {
	attributes := []temporal.SearchAttributeUpdate{
		AttributeParty.ValueSet([]string{string(party)}, DefaultAttributeBytes), AttributeKind.ValueSet(KindOnboarding),
		AttributePartyHint.ValueSet([]string{hintOf(party)}, DefaultAttributeBytes),
	}
	if contribution.UserID != "" {
		attributes = append(attributes, AttributeUser.ValueSet([]string{contribution.UserID}, DefaultAttributeBytes))
	}
	options := start(of, onboardExternalParty, onboardingWorkflowID(party),
		fmt.Sprintf("Onboard the external party %s", party), attributes...)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	options.Memo = map[string]any{
		"party": party, "identityProviderId": contribution.IdentityProviderID, "userId": contribution.UserID,
	}
	return options
}
