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

// usage is the resources that a node reports.
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
		case "go_memstats_sys_bytes": // it never shrinks, so it is the maximum
			used.memory = value
		}
	}
	return used, nil
}

// atRest is the usage of both sides without requests.
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

// rest compares the idle nodes: the attacked one must have finished its work for the adversary.
func (r *run) rest(ctx context.Context) error {
	r.attacker.http.CloseIdleConnections()
	var used [2]usage
	_, err := await(ctx, "rest", func(ctx context.Context) (_ string, rests bool, err error) {
		used, err = r.atRest(ctx)
		return "", len(listIdleExcess(used)) == 0, err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.report.Memory = [2]float64{used[0].memory, used[1].memory}
	if err != nil {
		for _, what := range listIdleExcess(used) {
			r.find(r.report.Cycles, nil, what)
		}
	}
	return nil
}

// listIdleExcess lists the resources that the attacked node still uses above the limits when it is idle.
func listIdleExcess(used [2]usage) (wrong []string) {
	attacked, quiet := used[0], used[1]
	if load := (attacked.processor - quiet.processor) / restTime.Seconds(); load > restLoad {
		wrong = append(wrong, fmt.Sprintf("the idle node keeps %.2f processors busy", load))
	}
	if attacked.goroutines > quiet.goroutines+restGoroutines {
		wrong = append(wrong, fmt.Sprintf("the idle node has %.0f goroutines, and %.0f without the adversary",
			attacked.goroutines, quiet.goroutines))
	}
	if attacked.memory > quiet.memory+restMemory {
		wrong = append(wrong, fmt.Sprintf("the node took %.0f MB of memory, and %.0f without the adversary",
			attacked.memory/1e6, quiet.memory/1e6))
	}
	return wrong
}
