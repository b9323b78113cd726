package endpoint

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// admit finds out who calls and counts the request, for its caller or as [CountFor] says. One whose token names nobody
// who may call counts as one without a token. busy is the refusal of a request that is one too many; refused is that of
// its token.
func (f *Frame) admit(
	ctx context.Context, current *call, r *http.Request,
) (who caller, busy, refused error) {
	refused = f.authenticate(ctx, current, r)
	who = f.countedFor(ctx, current.claims)
	return who, f.options.Limits.admit(who), refused
}

// Preflight answers what browsers ask before they let a page call the node; the headers are set already.
func (f *Frame) Preflight(w http.ResponseWriter, r *http.Request) {
	f.write(r.Context(), w, Content{Status: http.StatusNoContent})
}

// tally counts by status the answers to what no endpoint serves: anybody can ask for so much of that that a line each
// would fill the log. It is safe for concurrent use.
type tally struct {
	mu       sync.Mutex
	told     time.Time
	byStatus map[int]int64
}

// count counts one more, and returns all that were not told yet when it is time to tell.
func (t *tally) count(status int, now time.Time) []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byStatus == nil {
		t.byStatus = make(map[int]int64)
	}
	t.byStatus[status]++
	if now.Sub(t.told) < tellInterval {
		return nil
	}
	t.told = now
	var counts []any
	for _, status := range slices.Sorted(maps.Keys(t.byStatus)) {
		counts = append(counts, slog.Int64(strconv.Itoa(status), t.byStatus[status]))
	}
	clear(t.byStatus)
	return counts
}
