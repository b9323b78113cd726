package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

type auditCommand struct {
	recordPlace
	Offset         int64         `help:"Audit up to this offset. Default: the end of the record."`
	Head           *db.ChainHead `placeholder:"OFFSET:HASH" help:"A head that an earlier audit printed and you wrote down: the record must be the same up to there."`
	ForgetFindings bool          `help:"If the audit finds nothing, delete the workers' earlier findings, so that the record can be pruned again."`
}

// Run audits the record; the node may run meanwhile. The exit code is 1 when something is found.
func (c *auditCommand) Run(ctx context.Context) error {
	if c.ForgetFindings && c.Offset != 0 {
		return errors.New("--forget-findings needs an audit up to the end: leave --offset out")
	}
	if c.Head != nil && c.Offset != 0 && c.Offset < int64(c.Head.Offset) {
		return fmt.Errorf("--head is of offset %d: leave --offset out, or name that offset or a later one", c.Head.Offset)
	}
	return c.with(ctx, func(_ string, database *db.DB) error {
		auditor, err := auditorOf(ctx, database)
		if err != nil {
			return err
		}
		if c.Head != nil {
			auditor.Expect(*c.Head)
		}
		progress, end := auditProgress(os.Stderr, term.IsTerminal(int(os.Stderr.Fd())), time.Now)
		auditor.OnProgress(progress)
		report, err := auditor.Audit(ctx, ledger.Offset(c.Offset))
		end()
		if err != nil {
			return err
		}
		outcome, err := operatorapi.ToAPIAudit(report)
		if err != nil {
			return err
		}
		if err := printAudit(outcome); err != nil || !c.ForgetFindings {
			return err
		}
		if err := auditor.ForgetFindings(ctx, database, report); err != nil {
			return err
		}
		console.Println("florin: the workers audit on without what they had found")
		return nil
	})
}

// auditorOf makes an auditor of the record in a database.
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

// auditProgress shows people at a terminal how far an audit is, in one line that end takes away.
func auditProgress(
	to io.Writer, isTerminal bool, now func() time.Time,
) (tell func(at, end ledger.Offset), end func()) {
	const (
		every = time.Second / 4
		clear = "\r\x1b[K"
	)
	if !isTerminal {
		return func(ledger.Offset, ledger.Offset) {}, func() {}
	}
	var told time.Time
	tell = func(at, end ledger.Offset) {
		switch {
		case at >= end:
			fmt.Fprintf(to, "%sflorin: audited %d offsets; comparing all contracts and lists", clear, end)
		case now().Sub(told) >= every:
			told = now()
			fmt.Fprintf(to, "%sflorin: audited %d of %d offsets", clear, at, end)
		}
	}
	return tell, func() { fmt.Fprint(to, clear) }
}

// printBeginning says what an audit of a pruned record knows of what came before.
func printBeginning(start, since ledger.Offset) {
	switch {
	case start == 0:
	case since < start:
		console.Printf("florin: the record begins after offset %d: what is left from before was compared with the audit "+
			"of the node,\nflorin: which knows all that came after offset %d\n", start, since)
	default:
		console.Printf("florin: the record begins after offset %d: what was held there cannot be checked\n", start)
	}
}

func printAudit(outcome operatorapi.AuditResponse) error {
	console.Printf("florin: audited %d updates, offsets %d to %d\n", outcome.Updates, outcome.StartOffset+1,
		outcome.Offset)
	printBeginning(outcome.StartOffset, outcome.ProvedSince)
	console.Printf("  held at the start %s\n  minted            %s\n  burned            %s\n  supply            %s\n"+
		"  held              %s in %d holdings\n",
		outcome.Opening, outcome.Minted, outcome.Burned, outcome.Supply, outcome.Held, outcome.Holdings)
	console.Printf("head: %d:%s\n", outcome.Offset, outcome.Hash)
	for _, finding := range outcome.Findings {
		console.Println("  " + finding.String())
	}
	if !outcome.Clean {
		return fmt.Errorf("the record breaks a rule in %d places: keep it as it is, and find out what wrote to it besides "+
			"the node; docs/seals.md says what to do", outcome.FindingCount)
	}
	console.Println("florin: no contract was consumed twice, every balance is explained, and supply and holdings agree")
	console.Println("florin: no entry is missing, and each follows from the one before: write the head down elsewhere, and " +
		"compare it\nflorin: later with --head, which finds a record that was written anew as a whole")
	return nil
}
