package workflows

import (
	"go.temporal.io/sdk/temporal"

	"github.com/florinledger/florin/ledger"
)

// TaskQueue is where the node's workers look for work.
const TaskQueue = "florin"

// Search attributes by which operators find work. A submission in a batch is found by its own values as well as one
// that is alone.
var (
	// AttributeParty holds the acting parties.
	AttributeParty = temporal.NewSearchAttributeKeyKeywordList("FlorinParty")
	// AttributeUser holds the submitting users.
	AttributeUser = temporal.NewSearchAttributeKeyKeywordList("FlorinUser")
	// AttributeCommandID holds the command ids.
	AttributeCommandID = temporal.NewSearchAttributeKeyKeywordList("FlorinCommandId")
	// AttributeKind says what the work is: a Kind constant of package ledger, or [KindOnboarding].
	AttributeKind = temporal.NewSearchAttributeKeyKeyword("FlorinKind")
	// AttributeOutcome says what came of it: an Outcome constant of this package; absent while it runs.
	AttributeOutcome = temporal.NewSearchAttributeKeyKeyword("FlorinOutcome")
)

// The values of [AttributeOutcome].
const (
	// OutcomeAccepted: every submission of the workflow was committed.
	OutcomeAccepted = "accepted"
	// OutcomeRefused: every submission of the workflow was refused.
	OutcomeRefused = "refused"
	// OutcomeMixed: a batch of which some were committed and some refused.
	OutcomeMixed = "mixed"
	// OutcomeWithdrawn: an onboarding was cancelled.
	OutcomeWithdrawn = "withdrawn"
)

// KindOnboarding is the [AttributeKind] of the onboarding of an external party.
const KindOnboarding = "onboarding"

// SearchAttributes are the names and types that a Temporal namespace must have, as Temporal's own tools spell them.
func SearchAttributes() map[string]string {
	return map[string]string{
		AttributeParty.GetName():     "KeywordList",
		AttributeUser.GetName():      "KeywordList",
		AttributeCommandID.GetName(): "KeywordList",
		AttributeKind.GetName():      "Keyword",
		AttributeOutcome.GetName():   "Keyword",
	}
}

// submissionWorkflowID names the workflow of a lone submission.
func submissionWorkflowID(commandID, key string) string { return "submit:" + commandID + ":" + key }

// batchWorkflowID names the workflow of several submissions by the first one's key.
func batchWorkflowID(firstKey string) string { return "submit-batch:" + firstKey }

// workflowIDOf names the workflow of submissions, at least one.
func workflowIDOf(submissions []ledger.Submission) string {
	first := submissions[0]
	if len(submissions) > 1 {
		return batchWorkflowID(first.Key)
	}
	return submissionWorkflowID(first.CommandID, first.Key)
}

// onboardingWorkflowID names the one workflow that onboards a party.
func onboardingWorkflowID(party ledger.Party) string { return "onboard:" + string(party) }
