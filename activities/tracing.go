package activities

import (
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// maxCauses is to how many traces a plan links at most: more contracts than that tell nobody what caused it.
const maxCauses = 16

// link links the span of a plan to the traces of what caused it: of the updates that made or ended the contracts on
// which it decides.
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

// linkAll is [planning.link] for the contracts that submissions name.
func (p planning) linkAll(submissions []ledger.Submission) error {
	var contracts []ledger.ContractID
	for _, submission := range submissions {
		contracts = append(contracts, submission.MentionedContracts()...)
	}
	slices.Sort(contracts)
	return p.link(slices.Compact(contracts))
}

// traced makes a span of a decision, in the trace of the submission, to which the round trips belong that it takes.
func (b *block) traced(submission ledger.Submission) (end func(ledger.Completion, error)) {
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
