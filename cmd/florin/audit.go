package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type auditCommand struct {
	Record auditRecordCommand `cmd:"" default:"withargs" help:"Audit the record: check that every coin comes from a recorded mint and that no coin was lost."`
	Log    auditLogCommand    `cmd:"" help:"List who changed which user, right, party, identity provider, package, setting or webhook, when and from where."`
}

type auditRecordCommand struct {
	recordPlace
	console.Output

	Offset         int64         `help:"Audit up to this offset. Default: the end of the record."`
	Head           *db.ChainHead `placeholder:"OFFSET:HASH" help:"Head that an earlier audit printed. The audit fails if the record up to that offset has changed since."`
	ForgetFindings bool          `help:"If this audit finds nothing, delete the earlier findings of the workers, which block florin prune."`
}

// Run audits the record; the node may run meanwhile. The exit code is 1 when something is found.
func (c *auditRecordCommand) Run(ctx context.Context) error {
	if c.ForgetFindings && c.Offset != 0 {
		return errors.New("--forget-findings needs an audit up to the end: leave --offset out")
	}
	if c.Head != nil && c.Offset != 0 && c.Offset < int64(c.Head.Offset) {
		return fmt.Errorf("--head has offset %d: leave --offset out, or choose that offset or a later one", c.Head.Offset)
	}
	return c.with(ctx, func(_ string, database *db.DB) error {
		auditor, err := auditorOf(ctx, database)
		if err != nil {
			return err
		}
		if c.Head != nil {
			auditor.Expect(*c.Head)
		}
		progress := c.NewProgress(ctx)
		defer progress.End()
		showAudit(auditor, progress)
		report, err := auditor.Audit(ctx, ledger.Offset(c.Offset))
		progress.End()
		if err != nil {
			return err
		}
		outcome, err := operatorapi.ToAPIAudit(report)
		if err != nil {
			return err
		}
		if err := c.show(outcome); err != nil || !c.ForgetFindings {
			return err
		}
		if err := auditor.ForgetFindings(ctx, database, report); err != nil {
			return err
		}
		c.Note("deleted the earlier findings of the workers")
		return nil
	})
}

func auditorOf(ctx context.Context, database *db.DB) (*audit.Auditor, error) {
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return nil, err
	}
	node, known, err := database.Node(ctx)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, errors.New("the database holds no ledger: start a node on it first")
	}
	return audit.New(database, packages, node.Network())
}

// showAudit shows the progress of an audit.
func showAudit(auditor *audit.Auditor, progress *console.Progress) {
	progress.Begin("audit the record", 0)
	auditor.OnProgress(func(at, end ledger.Offset) {
		if at >= end {
			progress.Begin("compare all contracts and lists", 0)
			return
		}
		progress.Set(int64(at), int64(end))
	})
}

// beginningText explains which entries of a pruned record the audit could check; "" for a whole record.
func beginningText(start, since ledger.Offset) string {
	switch {
	case start == 0:
		return ""
	case since < start:
		return fmt.Sprintf("florin: the record begins after offset %d: the audit compared that state with the node's own "+
			"audit,\nflorin: which covers everything after offset %d\n", start, since)
	default:
		return fmt.Sprintf("florin: the record begins after offset %d: the audit cannot check the holdings at that offset\n",
			start)
	}
}

// show prints the outcome, and fails if a rule is broken.
func (c *auditRecordCommand) show(outcome operatorapi.AuditResponse) error {
	head := fmt.Sprintf("%d:%s", outcome.Offset, outcome.Hash)
	var text strings.Builder
	fmt.Fprintf(&text, "florin: audited %d updates, offsets %d to %d\n%s", outcome.Updates, outcome.StartOffset+1,
		outcome.Offset, beginningText(outcome.StartOffset, outcome.ProvedSince))
	fmt.Fprintf(&text, "  held at the start %s\n  minted            %s\n  burned            %s\n  supply            %s\n"+
		"  held              %s in %d holdings\nhead: %s",
		outcome.Opening, outcome.Minted, outcome.Burned, outcome.Supply, outcome.Held, outcome.Holdings, head)
	for _, finding := range outcome.Findings {
		text.WriteString("\n  " + finding.String())
	}
	if outcome.Clean {
		text.WriteString("\nflorin: no contract was consumed twice, transactions explain every balance, and supply and " +
			"holdings agree\nflorin: no entry is missing, and each follows from the one before. Keep the head elsewhere:\n" +
			"florin: a later audit with --head finds out whether somebody replaced the whole record")
	}
	if err := c.Print(console.Answer{Data: outcome, Text: text.String(), Names: []string{head}}); err != nil {
		return err
	}
	if !outcome.Clean {
		return fmt.Errorf("the record breaks rules (findings: %d): do not change it, and find out which program other than "+
			"the node wrote to it; see docs/seals.md", outcome.FindingCount)
	}
	return nil
}
