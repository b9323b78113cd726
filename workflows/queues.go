package workflows

// The task queues of a ledger's workers; in Temporal, [workflowid.Ledger.Name] names them. Each has its own slots in
// every worker, so that one class of work never waits for a slot of another class.
const (
	// SubmissionQueue is for work that clients wait for: submissions, and the onboarding of external parties.
	SubmissionQueue = "florin"
	// LifecycleQueue is for lifecycle workflows.
	LifecycleQueue = "florin-lifecycles"
	// AutomationQueue is for the node's own work for wallets and the network.
	AutomationQueue = "florin-automation"
	// WebhookQueue is for webhooks. A slow receiver keeps a slot for as long as an attempt may take.
	WebhookQueue = "florin-webhooks"
)

// The names of workflows in histories and Schedules. They must not change.
const (
	submitCommands       = "SubmitCommands"
	onboardExternalParty = "OnboardExternalParty"
	runAutomation        = "RunAutomation"
	deliverWebhook       = "DeliverWebhook"
)

// Queue is a task queue with its workflows and limits.
type Queue struct {
	// Name is the name of the task queue within the ledger.
	Name string
	// Workflows are the workflows that start on the queue, by their names.
	Workflows map[string]any
	// Slots limits the concurrent workflow tasks, and the concurrent activities, of one process.
	Slots int
}

const (
	// submissionSlots is large: commits queue up for the head lock anyway, and workflow tasks are cheap.
	submissionSlots = 64
	// lifecycleSlots is small: nobody waits for them, and each competes with submissions for the head lock.
	lifecycleSlots = 6
	// automationSlots is enough for a run of each kind by its Schedule and another one for due work, so that no kind waits
	// for another.
	automationSlots = 32
	// webhookSlots bounds the receivers that a process calls at the same time.
	webhookSlots = 16
)

// Queues are all task queues, each with the workflows that start on it.
func Queues() []Queue {
	all := map[string]any{
		submitCommands: SubmitCommands, onboardExternalParty: OnboardExternalParty, runAutomation: RunAutomation,
		deliverWebhook: DeliverWebhook,
	}
	for name, run := range Lifecycles() {
		all[name] = run
	}
	queues := []Queue{
		{Name: SubmissionQueue, Slots: submissionSlots},
		{Name: LifecycleQueue, Slots: lifecycleSlots},
		{Name: AutomationQueue, Slots: automationSlots},
		{Name: WebhookQueue, Slots: webhookSlots},
	}
	for i := range queues {
		queues[i].Workflows = map[string]any{}
		for name, run := range all {
			if queueOf(name) == queues[i].Name {
				queues[i].Workflows[name] = run
			}
		}
	}
	return queues
}

// queueOf decides on which queue a workflow runs.
func queueOf(name string) string {
	switch _, isLifecycle := Lifecycles()[name]; {
	case isLifecycle:
		return LifecycleQueue
	case name == runAutomation:
		return AutomationQueue
	case name == deliverWebhook:
		return WebhookQueue
	default:
		return SubmissionQueue
	}
}
