// Package wait pauses loops. It is the only place where a loop pauses: [For] returns an error that a loop must handle,
// so every loop ends with its context. [Trouble] logs the errors of a loop that tries again.
package wait

import (
	"context"
	"time"
)

// For waits for the duration. If ctx ends before, it returns the error of ctx at once.
func For(ctx context.Context, d time.Duration) error {
	timer, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timer.Done()
	return ctx.Err()
}
