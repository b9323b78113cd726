package adversary

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/florinledger/florin/internal/wait"
)

// usage is what a node says that it uses.
type usage struct{ processor, goroutines, memory float64 }

func (s *side) usage(ctx context.Context) (used usage, err error) {
	got, err := send(ctx, s.http, request{method: http.MethodGet, url: s.target.URL + "/metrics"})
	if err != nil {
		return used, err
	}
	lines := bufio.NewScanner(bytes.NewReader(got.body))
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_cpu_seconds_total":
			used.processor = value
		case "go_goroutines":
			used.goroutines = value
		case "go_memstats_sys_bytes": // it never gets less, so that it tells of the worst moment
			used.memory = value
		}
	}
	return used, nil
}

// atRest is what both sides use while nobody asks for anything.
func (r *run) atRest(ctx context.Context) (used [2]usage, err error) {
	for i, s := range []*side{r.attacked, r.quiet} {
		if used[i], err = s.usage(ctx); err != nil {
			return used, err
		}
	}
	if err := wait.For(ctx, restTime); err != nil {
		return used, err
	}
	for i, s := range []*side{r.attacked, r.quiet} {
		later, err := s.usage(ctx)
		if err != nil {
			return used, err
		}
		later.processor -= used[i].processor
		used[i] = later
	}
	return used, nil
}

// rest looks at nodes that have nothing to do: the attacked one has stopped doing what it did for the adversary.
func (r *run) rest(ctx context.Context) error {
	r.attacker.http.CloseIdleConnections()
	var used [2]usage
	_, err := await(ctx, "rest", func(ctx context.Context) (_ string, rests bool, err error) {
		used, err = r.atRest(ctx)
		return "", len(restless(used)) == 0, err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.report.Memory = [2]float64{used[0].memory, used[1].memory}
	if err != nil {
		for _, what := range restless(used) {
			r.find(r.report.Cycles, nil, what)
		}
	}
	return nil
}

// restless says what the attacked node does and holds that the quiet one does not.
func restless(used [2]usage) (wrong []string) {
	attacked, quiet := used[0], used[1]
	if load := (attacked.processor - quiet.processor) / restTime.Seconds(); load > restLoad {
		wrong = append(wrong, fmt.Sprintf("a node that has nothing to do keeps %.2f processors busy", load))
	}
	if attacked.goroutines > quiet.goroutines+restGoroutines {
		wrong = append(wrong, fmt.Sprintf("a node that has nothing to do has %.0f goroutines, and %.0f without the adversary",
			attacked.goroutines, quiet.goroutines))
	}
	if attacked.memory > quiet.memory+restMemory {
		wrong = append(wrong, fmt.Sprintf("the node took %.0f MB of memory, and %.0f without the adversary",
			attacked.memory/1e6, quiet.memory/1e6))
	}
	return wrong
}
