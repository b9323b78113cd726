package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// Search attributes by which operators find work. A workflow of a batch has the values of all its submissions.
var (
	// AttributeParty holds the acting parties.
	AttributeParty = NamesAttribute{"FlorinParty"}
	// AttributeUser holds the submitting users.
	AttributeUser = NamesAttribute{"FlorinUser"}
	// AttributeCommandID holds the command ids.
	AttributeCommandID = NamesAttribute{"FlorinCommandId"}
	// AttributePartyHint holds the readable parts of the acting parties' ids.
	AttributePartyHint = WordsAttribute{"FlorinPartyHint"}
	// AttributeTemplate holds the templates that the commands name, each as Entity and as Module.Path.Entity.
	AttributeTemplate = WordsAttribute{"FlorinTemplate"}
	// AttributeChoice holds the choices that the commands exercise.
	AttributeChoice = WordsAttribute{"FlorinChoice"}
	// AttributeKind is the kind of the work: a Kind constant of package ledger, or [KindOnboarding].
	AttributeKind = temporal.NewSearchAttributeKeyKeyword("FlorinKind")
	// AttributeOutcome is the outcome: an Outcome constant of this package; absent while the workflow runs.
	AttributeOutcome = temporal.NewSearchAttributeKeyKeyword("FlorinOutcome")
	// AttributeErrorCode is the error code of the first refused submission; absent without one.
	AttributeErrorCode = temporal.NewSearchAttributeKeyKeyword("FlorinErrorCode")
)

// NamesAttribute is a search attribute with names that users have chosen, in the spelling of [workflowid.Keyword].
type NamesAttribute struct{ name string }

// GetName returns the attribute's name.
func (a NamesAttribute) GetName() string { return a.name }

// ValueSet sets the attribute to names, each once, as many as fit into maxBytes; Temporal refuses more.
func (a NamesAttribute) ValueSet(names []string, maxBytes int) temporal.SearchAttributeUpdate {
	var values []string
	seen, bytes := map[string]bool{}, 0
	for _, name := range names {
		keyword := workflowid.Keyword(name)
		if seen[keyword] {
			continue
		}
		if bytes += attributeBytes(name); bytes > maxBytes {
			break
		}
		seen[keyword] = true
		values = append(values, keyword)
	}
	return temporal.NewSearchAttributeKeyKeywordList(a.name).ValueSet(values) //nolint:forbidigo // the one place
}

// attributeBytes is the size of a name in an encoded list of keywords: the name, two quotes and a comma.
func attributeBytes(name string) int {
	const punctuation = 3
	return len(workflowid.Keyword(name)) + punctuation
}

// Query finds the workflows that have a name.
func (a NamesAttribute) Query(name string) string {
	return a.name + " = '" + workflowid.Keyword(name) + "'"
}

// WordsAttribute is a search attribute for the search by words, in the spelling of [workflowid.Word]. A store in
// PostgreSQL also finds a word by its first letters: FlorinPartyHint = "ali:*".
type WordsAttribute struct{ name string }

// GetName returns the attribute's name.
func (a WordsAttribute) GetName() string { return a.name }

// ValueSet sets the attribute to words, each once, as many as fit into maxBytes; Temporal refuses more.
func (a WordsAttribute) ValueSet(names []string, maxBytes int) temporal.SearchAttributeUpdate {
	var words []string
	bytes := 0
	for _, name := range names {
		word := workflowid.Word(name)
		if word == "" || slices.Contains(words, word) {
			continue
		}
		if bytes += len(word) + len(" "); bytes > maxBytes {
			break
		}
		words = append(words, word)
	}
	return temporal.NewSearchAttributeKeyString(a.name).ValueSet(strings.Join(words, " "))
}

// hintsOf are the readable parts of parties' ids.
func hintsOf(parties []string) []string {
	hints := make([]string, len(parties))
	for i, party := range parties {
		hints[i] = hintOf(ledger.Party(party))
	}
	return hints
}

// start makes the options of every workflow of a ledger. The summary may contain names.
//
//nolint:forbidigo // the one place where a workflow gets its id
func start(
	of workflowid.Ledger, name string, id workflowid.ID, summary string, attributes ...temporal.SearchAttributeUpdate,
) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: of.Name(id.String()), TaskQueue: of.Name(queueOf(name)), StaticSummary: workflowid.Summary(summary),
		TypedSearchAttributes: temporal.NewSearchAttributes(attributes...),
	}
}

// The values of [AttributeOutcome].
const (
	// OutcomeAccepted: the ledger accepted every submission of the workflow.
	OutcomeAccepted = "accepted"
	// OutcomeRefused: the ledger refused every submission of the workflow.
	OutcomeRefused = "refused"
	// OutcomeMixed: the ledger accepted some submissions of the batch and refused others.
	OutcomeMixed = "mixed"
	// OutcomeWithdrawn: somebody cancelled an onboarding.
	OutcomeWithdrawn = "withdrawn"
	// OutcomeExpired: the others did not agree to an onboarding in time.
	OutcomeExpired = "expired"
)

// KindOnboarding is the [AttributeKind] of the onboarding of an external party.
const KindOnboarding = "onboarding"

// KindWebhook is the [AttributeKind] of the delivery of messages.
const KindWebhook = "webhook"

// SearchAttributes are the names and types of the search attributes that a Temporal namespace must have, in the
// spelling of Temporal's own tools.
func SearchAttributes() map[string]string {
	return map[string]string{
		AttributeParty.GetName():     "KeywordList",
		AttributeUser.GetName():      "KeywordList",
		AttributeCommandID.GetName(): "KeywordList",
		AttributePartyHint.GetName(): "Text",
		AttributeTemplate.GetName():  "Text",
		AttributeChoice.GetName():    "Text",
		AttributeKind.GetName():      "Keyword",
		AttributeOutcome.GetName():   "Keyword",
		AttributeErrorCode.GetName(): "Keyword",
	}
}

// OfLedger is the query for the workflows of a ledger.
func OfLedger(of workflowid.Ledger) string { return "WorkflowId STARTS_WITH '" + of.Name("") + "'" }

// localID is the id of the running workflow without the ledger's prefix, as in the record.
func localID(ctx workflow.Context) string {
	return workflowid.Local(workflow.GetInfo(ctx).WorkflowExecution.ID)
}

// submissionWorkflowID names the workflow of a lone submission.
func submissionWorkflowID(commandID, key string) workflowid.ID {
	return workflowid.Of("submit", commandID, key)
}

// batchWorkflowID names the workflow of several submissions by the first one's key.
func batchWorkflowID(firstKey string) workflowid.ID { return workflowid.Of("submit-batch", firstKey) }

// workflowIDOf names the workflow of submissions, at least one.
func workflowIDOf(submissions []ledger.Submission) workflowid.ID {
	first := submissions[0]
	if len(submissions) > 1 {
		return batchWorkflowID(first.Key)
	}
	return submissionWorkflowID(first.CommandID, first.Key)
}

// onboardingWorkflowID names the one workflow that onboards a party.
func onboardingWorkflowID(party ledger.Party) workflowid.ID {
	return workflowid.Of("onboard", string(party))
}
