package adversary

import (
	"context"
	"fmt"
)

// Start starts fresh twins; stop stops them.
type Start func(context.Context) (attacked, quiet Target, stop func(), err error)

// Narrow bisects the steps of a finding, each time on fresh nodes. It returns the finding of the shortest run that has
// one, or the given finding if its steps alone do not reproduce it.
func Narrow(ctx context.Context, options Options, found Finding, start Start) (Finding, error) {
	if found.To == 0 {
		return found, nil
	}
	from, to := found.From, found.To
	try := func(from, to int) (bool, error) {
		attacked, quiet, stop, err := start(ctx)
		if err != nil {
			return false, err
		}
		defer stop()
		part := options
		part.From, part.To, part.Lasting, part.Progress = from, to, 0, nil
		report, err := Run(ctx, attacked, quiet, part)
		if err != nil || len(report.Findings) == 0 {
			return false, err
		}
		found = report.Findings[0]
		found.Narrowed = true
		if options.Progress != nil {
			options.Progress(fmt.Sprintf("steps %d to %d suffice", from, to))
		}
		return true, nil
	}
	again, err := try(from, to)
	for again && err == nil && from < to {
		middle := (from + to) / 2
		if again, err = try(middle+1, to); again {
			from = middle + 1
			continue
		}
		if err != nil {
			break
		}
		if again, err = try(from, middle); again {
			to = middle
		}
	}
	return found, err
}
