package node

import (
	"context"
	"time"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/workflows"
)

func (n *Node) automations() (*automation.Registry, error) {
	kinds := []automation.Automation{automation.Rounds(), automation.NewTopUp()}
	for _, kind := range []func(*ledger.Packages) (automation.Automation, error){
		automation.Rewards, automation.NewMinting, automation.NewLiveness, automation.Expiry, automation.Proposals,
		automation.NewSubscriptions, automation.NewSweeps, automation.NewAutoAccept,
	} {
		instance, err := kind(n.packages)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, instance)
	}
	return automation.NewRegistry(n.packages, kinds...)
}

// runAutomation creates or updates the Schedules, and starts a caller that runs due work without waiting for them.
func (n *Node) runAutomation(ctx context.Context, acts *activities.Activities) error {
	if err := activities.EnterAutomations(ctx, n.Database, acts.Automations); err != nil {
		return err
	}
	schedules := workflows.NewSchedules(n.temporal, n.ledger, acts.Automations)
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := schedules.Ensure(deadline); err != nil {
		return err
	}
	caller := workflows.NewAutomationCaller(workflows.AutomationCallerOptions{
		Schedules: schedules, Record: activities.NewAutomationCalls(acts),
		LedgerTime: n.clock.Now, RealTime: time.Now, Log: n.options.Log,
	})
	n.watcher.OnLifecyclesDue(caller.Changed)
	n.watcher.OnClockChange(func(db.ClockState) { caller.Changed() })
	n.callers.run(caller.Run)
	return nil
}
