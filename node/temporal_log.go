package node

import (
	"strings"

	sdklog "go.temporal.io/sdk/log"
)

// slowTask begins the SDK's warning of workflow tasks of more than five seconds. Local activities that wait for a commit
// or for a receiver take that long, and the warning names neither.
const slowTask = "[TMPRL1104]"

// temporalLog is the log of the SDK without warnings that say nothing.
type temporalLog struct{ sdklog.Logger }

// Warn implements [sdklog.Logger].
func (l temporalLog) Warn(text string, facts ...any) {
	if !strings.HasPrefix(text, slowTask) {
		l.Logger.Warn(text, facts...)
	}
}
