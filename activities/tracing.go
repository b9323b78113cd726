package activities

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// maxCauses limits the traces that a plan links to: more would not help to find its cause.
const maxCauses = 16

// link links the span of a plan to the traces of the updates that created or archived its contracts.
func (p planning) link(contracts []ledger.ContractID) error {
	if len(contracts) == 0 || !tracing.Recorded(p.ctx) {
		return nil
	}
	causes, err := p.tx.Causes(p.ctx, contracts[:min(len(contracts), maxCauses)], maxCauses)
	if err == nil {
		tracing.Link(p.ctx, causes...)
	}
	return err
}

// linkAll is [planning.link] for the contracts in submissions.
func (p planning) linkAll(submissions []ledger.Submission) error {
	var contracts []ledger.ContractID
	for _, submission := range submissions {
		contracts = append(contracts, submission.MentionedContracts()...)
	}
	slices.Sort(contracts)
	return p.link(slices.Compact(contracts))
}

// startSpan starts the span of a decision in the trace of the submission. Queries of the database get spans below it.
func (b *block) startSpan(submission ledger.Submission) (end func(ledger.Completion, error)) {
	ctx, span := tracing.StartFor(b.view.ctx, submission.Trace, "interpret")
	if !span.Recorded() {
		return func(ledger.Completion, error) {}
	}
	span.Note(tracing.Submission(submission)...)
	outer := b.view.ctx
	b.view.ctx = ctx
	return func(completion ledger.Completion, err error) {
		b.view.ctx = outer
		if err != nil {
			span.Fail()
		} else {
			span.Note(tracing.Completion(completion)...)
		}
		span.End()
	}
}
