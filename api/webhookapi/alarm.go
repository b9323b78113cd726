package webhookapi

import (
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/telemetry/trouble"
)

// alarm is the data of an event of the kind alarm. Its name and words are those of the trouble everywhere.
type alarm struct {
	Name    string `json:"name"`
	Part    string `json:"part"`
	Host    string `json:"host"`
	Raised  bool   `json:"raised"`
	Cause   string `json:"cause"`
	Means   string `json:"means"`
	Do      string `json:"do"`
	Runbook string `json:"runbook"`
}

// RenderAlarm is the data of an event that tells a change of an alarm.
func RenderAlarm(change db.AlarmChange) any {
	out := alarm{Name: change.Name, Part: change.Name, Host: change.Host, Raised: change.Raised, Cause: change.Cause}
	if about, known := trouble.Of(change.Name); known {
		out.Name, out.Means, out.Do, out.Runbook = about.Name(), about.Means, about.Do, about.Runbook()
	}
	return out
}
