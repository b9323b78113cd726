package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
)

// DeliverWebhookInput names a webhook.
type DeliverWebhookInput struct {
	ID string `json:"id"`
}

// DeliverWebhook sends the messages of one webhook (id webhook:ID), in order, and ends when none is left. Between failed
// attempts it sleeps. The record says what to send and when, so a workflow that is lost, started twice or woken for
// nothing does no harm.
func DeliverWebhook(ctx workflow.Context, in DeliverWebhookInput) error {
	ctx = workflow.WithLocalActivityOptions(ctx, commitOptions())
	look := workflow.GetSignalChannel(ctx, LookSignal)
	for looks := 0; looks < longRun && !workflow.GetInfo(ctx).GetContinueAsNewSuggested(); looks++ {
		for look.ReceiveAsync(nil) { // this look answers all of them
		}
		next, err := callLocal(ctx, act.DeliverWebhook, activities.DeliverWebhookInput(in))
		switch {
		case err != nil:
			return err
		case next.Over && look.Len() == 0:
			return nil
		case next.Over || next.Pause <= 0:
			continue
		}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("The receiver fails, or its owner has other slow ones. The log of the "+
			"webhook says why: florin webhook log %s. Waits %s for the next attempt.", in.ID, next.Pause.Round(time.Second)))
		if err := waitFor(ctx, next.Pause, "next attempt", look); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, in)
}
