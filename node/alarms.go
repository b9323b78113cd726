package node

import (
	"context"
	"os"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// alarmInterval is the time between two looks for alarms.
	alarmInterval = 5 * time.Second
	// restInterval is the longest time between two looks at the parts.
	restInterval = 30 * time.Second
	// alarmTimeout bounds each use of the record.
	alarmTimeout = 2 * time.Second
)

// alarmRecord is the part of the record that [alarms] use.
type alarmRecord interface {
	HasWebhooks(ctx context.Context) (running, alarms bool, err error)
	NoteAlarm(ctx context.Context, change db.AlarmChange) error
}

// alarms notes when a part of /readyz goes wrong or right again, while a webhook wants to know.
type alarms struct {
	record alarmRecord
	host   string
	now    func() time.Time
	// parts are the parts of /readyz; none while the node stops.
	parts func(context.Context) []api.Part
	// isEcho reports whether the trouble of webhooks is that an alarm of webhooks was not delivered. It raises none: a
	// receiver that fails would get one message for each of its failures.
	isEcho func() bool
	// known is the state of each part, as it was noted last.
	known map[string]bool
	// waiting are the changes that the record does not have yet, because it was away.
	waiting []db.AlarmChange
}

// watchAlarms notes alarms in the background.
func (n *Node) watchAlarms(_, background context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	parts := func(ctx context.Context) []api.Part {
		if n.stopping.Load() {
			return nil
		}
		return n.watched(ctx)
	}
	watch := &alarms{
		record: n.Database, host: host, now: time.Now, parts: parts, isEcho: n.overdue.isEcho, known: map[string]bool{},
	}
	trouble := wait.Trouble{Log: n.options.Log, What: "the node cannot note alarms for webhooks"}
	go trouble.Every(background, alarmInterval, watch.look)
	go func() { // the log names troubles, even if nobody asks
		for wait.For(background, restInterval) == nil {
			n.watched(background)
		}
	}()
	return nil
}

// look looks at the parts once. Without a webhook for alarms it costs one short query.
func (a *alarms) look(ctx context.Context) error {
	wanted, err := a.wanted(ctx)
	if err == nil && !wanted {
		clear(a.known)
		a.waiting = nil
		return nil
	}
	for _, part := range a.parts(ctx) {
		before, seen := a.known[part.Name]
		cause := part.Warning
		if part.Err != nil {
			cause = part.Err.Error()
		}
		raised := cause != ""
		switch {
		case seen && before == raised, err != nil && !seen: // nothing changed, or nobody is known to want alarms
		case part.Unknown != "": // it may still have its trouble
		case part.Name == webhooksPart && raised && a.isEcho():
		default:
			a.known[part.Name] = raised
			a.waiting = append(a.waiting, db.AlarmChange{
				At: a.now(), Host: a.host, Name: part.Name, Raised: raised, Cause: cause,
			})
		}
	}
	for len(a.waiting) > 0 {
		if err := a.note(ctx, a.waiting[0]); err != nil {
			return err
		}
		a.waiting = a.waiting[1:]
	}
	return nil
}

func (a *alarms) wanted(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, alarmTimeout)
	defer cancel()
	_, wanted, err := a.record.HasWebhooks(ctx)
	return wanted, err
}

func (a *alarms) note(ctx context.Context, change db.AlarmChange) error {
	ctx, cancel := context.WithTimeout(ctx, alarmTimeout)
	defer cancel()
	return a.record.NoteAlarm(ctx, change)
}
