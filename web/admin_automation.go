package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

const automationPath = "/v0/admin/automation"

// automationTrouble is a wallet, a contract or another subject whose submission was refused.
type automationTrouble struct {
	Subject string `json:"subject"`
	Command string `json:"command_id"`
	Tries   int    `json:"tries"`
	Refusal string `json:"refusal"`
	// NextTry is nil if the node does not try again by itself.
	NextTry *time.Time `json:"next_try"`
	Stuck   bool       `json:"stuck"`
	// Temporal is the address of the command's workflows; "" without a Temporal UI.
	Temporal string `json:"-"`
}

// IsParty reports whether the subject is a party.
func (t automationTrouble) IsParty() bool { return strings.Contains(t.Subject, "::") }

// automationKind is a kind of automation.
type automationKind struct {
	Kind     string              `json:"kind"`
	Schedule string              `json:"schedule"`
	Paused   bool                `json:"paused"`
	LastRun  *time.Time          `json:"last_run"`
	NextDue  *time.Time          `json:"next_due"`
	Done     int                 `json:"done"`
	Refused  int                 `json:"refused"`
	Count    int                 `json:"trouble_count"`
	Troubles []automationTrouble `json:"troubles"`
	// Temporal is the address of the Schedule; "" without a Temporal UI.
	Temporal string `json:"-"`
}

// State is the state of the kind in a word.
func (k automationKind) State() string {
	switch {
	case k.Paused:
		return "paused"
	case k.Count > 0:
		return plural(k.Count, "trouble")
	default:
		return "ok"
	}
}

// More is the number of troubles that the page does not show.
func (k automationKind) More() int { return k.Count - len(k.Troubles) }

// workflowsLink leads to workflows in Temporal's UI.
type workflowsLink struct{ Words, Address string }

type automationView struct {
	Kinds []automationKind
	// Troubled is the number of kinds with troubles.
	Troubled int
	// Overdue is how long the oldest due workflow of a contract has been due; "" if none is, or the node does not know.
	Overdue string
	// Workflows lead to workflows by what they do; none without a Temporal UI.
	Workflows []workflowsLink
	Problem   *problem
}

// automation shows the kinds of automation, and what waits.
func (s *site) automation(v *visit) error {
	data, err := s.automationOf(v)
	if err != nil {
		return err
	}
	return s.show(v, "admin_automation", data)
}

func (s *site) automationOf(v *visit) (data automationView, err error) {
	var out struct {
		Automations []automationKind `json:"automations"`
	}
	if err := v.api.Get(v.ctx(), automationPath, &out); err != nil {
		return data, err
	}
	now, err := v.metrics()
	if err != nil {
		return data, err
	}
	if seconds, known := now.value("florin_oldest_lifecycle_seconds"); known && seconds > 0 {
		data.Overdue = (time.Duration(seconds) * time.Second).String()
	}
	data.Kinds = out.Automations
	for i, kind := range data.Kinds {
		data.Kinds[i].Temporal = s.scheduleOf(kind.Schedule)
		for j, trouble := range kind.Troubles {
			if trouble.Command != "" {
				kind.Troubles[j].Temporal = s.workflowsOf(trouble.Command, "")
			}
		}
		if kind.Count > 0 {
			data.Troubled++
		}
	}
	for _, link := range []struct{ words, query string }{
		{"Submissions that run now", `FlorinKind IN ("command", "wallet") AND ExecutionStatus = "Running"`},
		{"Offers and other contracts that wait for their time", `FlorinKind = "lifecycle" AND ExecutionStatus = "Running"`},
		{"Onboardings that wait for keys or hosts", `FlorinKind = "onboarding" AND ExecutionStatus = "Running"`},
		{"Workflows that failed", `ExecutionStatus = "Failed"`},
	} {
		if address := s.workflowsWhere(link.query); address != "" {
			data.Workflows = append(data.Workflows, workflowsLink{link.words, address})
		}
	}
	return data, nil
}

// scheduleOf is the address of a Schedule in Temporal's UI; "" without one.
func (s *site) scheduleOf(id string) string {
	if s.TemporalUI == "" {
		return ""
	}
	return s.TemporalUI + "/namespaces/" + url.PathEscape(s.TemporalNamespace) + "/schedules/" + url.PathEscape(id)
}

// nudge retries the troubles of a kind of automation now: one, or all.
func (s *site) nudge(v *visit) error {
	kind, subject := v.r.PathValue("kind"), v.field("subject")
	var out struct {
		Nudged int  `json:"nudged"`
		Paused bool `json:"paused"`
	}
	err := v.change("Retry "+kind, http.MethodPost, automationPath+"/"+url.PathEscape(kind)+"/run",
		map[string]any{"subject": subject}, &out)
	if err == nil {
		notice := "The node retries " + plural(out.Nudged, "trouble") + " of " + kind + " now."
		if out.Paused {
			notice = "The node retries " + plural(out.Nudged, "trouble") + " of " + kind + " after the pause."
		}
		return s.done(v, adminPath+"/automation", notice)
	}
	return refused(s, v, "admin_automation", err, func() (automationView, error) { return s.automationOf(v) },
		func(data *automationView, why *problem) { data.Problem = why })
}

// pauseAutomation pauses or resumes a kind of automation.
func (s *site) pauseAutomation(v *visit) error {
	kind, paused := v.r.PathValue("kind"), v.field("paused") == "yes"
	what, notice := "Resume "+kind, "The node resumes "+kind+" now."
	if paused {
		what, notice = "Pause "+kind, kind+" is paused. What is due waits until you resume it."
	}
	err := v.change(what, http.MethodPut, automationPath+"/"+url.PathEscape(kind)+"/paused",
		map[string]any{"paused": paused}, nil)
	if err == nil {
		return s.done(v, adminPath+"/automation", notice)
	}
	return refused(s, v, "admin_automation", err, func() (automationView, error) { return s.automationOf(v) },
		func(data *automationView, why *problem) { data.Problem = why })
}
