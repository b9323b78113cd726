// Package wait lets time pass. It is the only place where a loop pauses: what returns an error cannot be passed over,
// so that every loop ends with its context. [Trouble] is what a loop says that tries again.
package wait

import (
	"context"
	"time"
)

// For returns when the duration is over, or as soon as ctx has ended, with its error.
func For(ctx context.Context, d time.Duration) error {
	timer, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timer.Done()
	return ctx.Err()
}
