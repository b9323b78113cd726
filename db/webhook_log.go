package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
)

// The states of a [WebhookAttempt].
const (
	// AttemptUnknown: the receiver may have the message. The process died, or the connection broke before the answer.
	AttemptUnknown = "unknown"
	// AttemptSent: the receiver has the message and accepted it.
	AttemptSent = "sent"
	// AttemptFailed: the receiver has the message and answered with an error.
	AttemptFailed = "failed"
	// AttemptUnreachable: the request never left the node.
	AttemptUnreachable = "unreachable"
	// AttemptSkipped is no attempt: the record was pruned, or old alarms were deleted, and events are gone.
	AttemptSkipped = "skipped"
)

const (
	// KeptAttempts is how many attempts of a webhook its log keeps.
	KeptAttempts = 1000
	// KeptDeadLetters is how many dead letters of a webhook are kept.
	KeptDeadLetters = 100
	// KeptAlarmChanges is how many changes of alarms are kept.
	KeptAlarmChanges = 1000
	// trimEvery is the number of attempts between two deletions of old ones.
	trimEvery = 50
)

// WebhookAttempt is an attempt to send a message. It is stored before its request.
type WebhookAttempt struct {
	Number    int64
	MessageID string
	Kind      string
	StartedAt time.Time
	State     string
	// Status is that of the answer; 0 without one.
	Status int32
	Error  string
	Took   time.Duration
}

// DeadLetter is a message that the receiver did not take.
type DeadLetter struct {
	MessageID string
	Kind      string
	Body      []byte
	Error     string
	DiedAt    time.Time
}

// BeginAttempt stores an attempt and returns its number.
func (t *Tx) BeginAttempt(ctx context.Context, hook string, attempt WebhookAttempt) (int64, error) {
	number, err := t.queries.InsertWebhookAttempt(ctx, dbgen.InsertWebhookAttemptParams{
		WebhookID: hook, MessageID: attempt.MessageID, Kind: attempt.Kind, StartedAt: attempt.StartedAt,
		State: attempt.State, Error: attempt.Error,
	})
	return number, failed("noting an attempt of a webhook", err)
}

// EndAttempt stores what became of an attempt.
func (t *Tx) EndAttempt(ctx context.Context, hook string, attempt WebhookAttempt) error {
	_, err := t.queries.EndWebhookAttempt(ctx, dbgen.EndWebhookAttemptParams{
		WebhookID: hook, Number: attempt.Number, State: attempt.State, Status: attempt.Status, Error: attempt.Error,
		Took: attempt.Took.Microseconds(),
	})
	if err == nil && attempt.Number%trimEvery == 0 {
		err = t.queries.TrimWebhookAttempts(ctx, dbgen.TrimWebhookAttemptsParams{WebhookID: hook, Keep: KeptAttempts})
	}
	return failed("noting the result of a webhook", err)
}

// WebhookAttempts lists the attempts of a webhook before a number, the newest first.
func (r Reader) WebhookAttempts(
	ctx context.Context, hook string, before int64, limit int32,
) ([]WebhookAttempt, error) {
	rows, err := r.queries.ListWebhookAttempts(ctx, dbgen.ListWebhookAttemptsParams{
		WebhookID: hook, Before: before, CountMax: limit,
	})
	attempts := make([]WebhookAttempt, len(rows))
	for i, row := range rows {
		attempts[i] = WebhookAttempt{
			Number: row.Number, MessageID: row.MessageID, Kind: row.Kind, StartedAt: row.StartedAt, State: row.State,
			Status: row.Status, Error: row.Error, Took: time.Duration(row.Took) * time.Microsecond,
		}
	}
	return attempts, failed("listing the attempts of a webhook", err)
}

// KeepDeadLetter keeps a message that the receiver did not take. If there are too many, the oldest go.
func (t *Tx) KeepDeadLetter(ctx context.Context, hook string, letter DeadLetter) error {
	err := t.queries.InsertDeadLetter(ctx, dbgen.InsertDeadLetterParams{
		WebhookID: hook, MessageID: letter.MessageID, Kind: letter.Kind, Body: letter.Body, Error: letter.Error,
		DiedAt: letter.DiedAt,
	})
	if err == nil {
		err = t.queries.TrimDeadLetters(ctx, dbgen.TrimDeadLettersParams{WebhookID: hook, Keep: KeptDeadLetters})
	}
	return failed("keeping a dead letter", err)
}

// DeadLetters lists the dead letters of a webhook, the oldest first.
func (r Reader) DeadLetters(ctx context.Context, hook string) ([]DeadLetter, error) {
	rows, err := r.queries.ListDeadLetters(ctx, hook)
	letters := make([]DeadLetter, len(rows))
	for i, row := range rows {
		letters[i] = fromDBDeadLetter(row)
	}
	return letters, failed("listing dead letters", err)
}

// DeadLetter finds a dead letter; false if there is none.
func (r Reader) DeadLetter(ctx context.Context, hook, message string) (DeadLetter, bool, error) {
	row, err := r.queries.GetDeadLetter(ctx, dbgen.GetDeadLetterParams{WebhookID: hook, MessageID: message})
	if isNoRows(err) {
		return DeadLetter{}, false, nil
	}
	return fromDBDeadLetter(row), err == nil, failed("reading a dead letter", err)
}

// DropDeadLetter deletes a dead letter that the receiver has now.
func (t *Tx) DropDeadLetter(ctx context.Context, hook, message string) error {
	_, err := t.queries.DeleteDeadLetter(ctx, dbgen.DeleteDeadLetterParams{WebhookID: hook, MessageID: message})
	return failed("deleting a dead letter", err)
}

func fromDBDeadLetter(row dbgen.WebhookDeadLetter) DeadLetter {
	return DeadLetter{
		MessageID: row.MessageID, Kind: row.Kind, Body: row.Body, Error: row.Error, DiedAt: row.DiedAt,
	}
}

// AlarmChange says that a part of the node went wrong, or right again.
type AlarmChange struct {
	Number int64
	At     time.Time
	// Host is the machine of the process that noticed it.
	Host, Name string
	Raised     bool
	Cause      string
}

// NoteAlarm stores a change of an alarm, unless the last one of the part says the same.
func (d *DB) NoteAlarm(ctx context.Context, change AlarmChange) error {
	return d.InTx(ctx, func(tx *Tx) error {
		// Changes become visible in the order of their numbers, so that no webhook passes one by.
		if _, err := tx.tx.Exec(ctx, "LOCK TABLE alarm_changes IN EXCLUSIVE MODE"); err != nil {
			return failed("noting an alarm", err)
		}
		err := tx.queries.InsertAlarmChange(ctx, dbgen.InsertAlarmChangeParams{
			ChangedAt: change.At, Host: change.Host, Name: change.Name, Raised: change.Raised, Cause: change.Cause,
		})
		if err == nil {
			err = tx.queries.TrimAlarmChanges(ctx, KeptAlarmChanges)
		}
		return failed("noting an alarm", err)
	})
}

// AlarmChanges lists the changes of alarms from a number on.
func (r Reader) AlarmChanges(ctx context.Context, first int64, limit int32) ([]AlarmChange, error) {
	rows, err := r.queries.ListAlarmChanges(ctx, dbgen.ListAlarmChangesParams{First: first, CountMax: limit})
	changes := make([]AlarmChange, len(rows))
	for i, row := range rows {
		changes[i] = AlarmChange{
			Number: row.Number, At: row.ChangedAt, Host: row.Host, Name: row.Name, Raised: row.Raised, Cause: row.Cause,
		}
	}
	return changes, failed("listing alarms", err)
}

// LastTrimmedAlarm is the number up to which the changes of alarms are deleted; 0 or less if none is.
func (r Reader) LastTrimmedAlarm(ctx context.Context) (int64, error) {
	number, err := r.queries.LastTrimmedAlarmChange(ctx, KeptAlarmChanges)
	return number, failed("looking for deleted alarms", err)
}
