package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"golang.org/x/sync/singleflight"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/telemetry/trouble"
)

// Part is a part of the node that readiness depends on.
type Part struct {
	// Name is a word such as "database".
	Name string
	// Err is the problem; nil when the part works.
	Err error
	// Warning is a problem that does not affect readiness; "" for none.
	Warning string
	// Unknown says why nobody could check the part, which does not affect readiness; "" for a part that was checked.
	Unknown string
}

// Readiness checks every part of the node.
type Readiness func(ctx context.Context) []Part

// The names of /livez and /readyz in later versions.
const (
	livenessPath  = "/health/liveness"
	readinessPath = "/health/readiness"
)

// WatchReadiness gives concurrent callers one answer, and logs changes of it.
func WatchReadiness(readiness Readiness, log *slog.Logger) Readiness {
	return shareAnswer(logReadiness(readiness, log))
}

func healthEndpoints(readiness Readiness) []endpoint.Endpoint {
	live := endpoint.Info{
		Method: http.MethodGet, Path: "/livez", OperationID: "getLivez", Tag: "Health", Access: endpoint.Open,
		Vital: true, Summary: "Check that the process runs.",
	}
	ready := endpoint.Info{
		Method: http.MethodGet, Path: "/readyz", OperationID: "getReadyz", Tag: "Health", Access: endpoint.Open,
		Vital: true, Summary: "Check whether the node is ready.",
		Description: "If the node is not ready, the answer is 503 with a line for each part that does not work. Lines with " +
			"[!] are warnings, lines with [?] are parts that nobody could check: both do not affect readiness. A line ends " +
			"with the name of the alarm in brackets. With verbose, working parts have a line too.",
		Bodies: []endpoint.Body{endpoint.TextBody()},
	}
	isLive := func(context.Context, endpoint.NoRequest) (endpoint.Content, error) { return endpoint.Content{}, nil }
	isReady := func(ctx context.Context, request readyzRequest) (endpoint.Content, error) {
		return readyz(readiness(ctx), request.Verbose != nil), nil
	}
	return []endpoint.Endpoint{
		endpoint.New(live, isLive), endpoint.New(ready, isReady),
		endpoint.New(otherName(live, livenessPath, "getHealthLiveness"), isLive),
		endpoint.New(otherName(ready, readinessPath, "getHealthReadiness"), isReady),
	}
}

// otherName describes an endpoint under another path, outside the document.
func otherName(info endpoint.Info, path, operationID string) endpoint.Info {
	info.Path, info.OperationID, info.Undocumented = path, operationID, true
	return info
}

// shareAnswer gives concurrent callers one answer, so that frequent checks stay cheap.
func shareAnswer(readiness Readiness) Readiness {
	var flight singleflight.Group
	return func(ctx context.Context) []Part {
		answer := flight.DoChan("", func() (any, error) { return readiness(context.WithoutCancel(ctx)), nil })
		select {
		case result := <-answer:
			parts, _ := result.Val.([]Part)
			return parts
		case <-ctx.Done():
			return []Part{{Name: "node", Err: ctx.Err()}}
		}
	}
}

// ErrStopping is the error of a stopping node.
var ErrStopping = errors.New("the node is stopping: send requests to another node")

// logReadiness logs when readiness, the reason against it, or a warning changes. Calls must not overlap.
func logReadiness(readiness Readiness, log *slog.Logger) Readiness {
	before := ""
	warnedBefore := map[string]bool{}
	return func(ctx context.Context) []Part {
		parts := readiness(ctx)
		before = logBroken(ctx, log, before, parts)
		warned := map[string]bool{}
		for _, part := range parts {
			// A part that nobody could check may still have its trouble.
			if warned[part.Name] = part.Warning != "" || part.Unknown != "" && warnedBefore[part.Name]; !warned[part.Name] {
				continue
			}
			if !warnedBefore[part.Name] {
				log.WarnContext(ctx, "a part of /readyz warns", "part", part.Name, "alarm", trouble.NameOf(part.Name),
					"warning", part.Warning)
			}
		}
		for name := range warnedBefore {
			if warnedBefore[name] && !warned[name] {
				log.InfoContext(ctx, "a part of /readyz warns no more", "part", name, "alarm", trouble.NameOf(name))
			}
		}
		warnedBefore = warned
		return parts
	}
}

// logBroken logs a change of the broken parts, and returns them.
func logBroken(ctx context.Context, log *slog.Logger, before string, parts []Part) string {
	var names, alarms []string
	var reasons []error
	for _, part := range parts {
		if part.Err != nil {
			names, reasons = append(names, part.Name), append(reasons, fmt.Errorf("%s: %w", part.Name, part.Err))
			alarms = append(alarms, trouble.NameOf(part.Name))
		}
	}
	broken, reason := strings.Join(names, ", "), errors.Join(reasons...)
	switch {
	case broken == before:
	case broken == "":
		log.InfoContext(ctx, "ready again: /readyz answers 200", "was_broken", before)
	case errors.Is(reason, ErrStopping):
		log.InfoContext(ctx, "not ready: /readyz answers 503", "broken", broken, "error", reason)
	default:
		log.WarnContext(ctx, "not ready: /readyz answers 503", "broken", broken, "error", reason,
			"alarms", strings.Join(alarms, ", "))
	}
	return broken
}

type readyzRequest struct {
	Verbose *string `query:"verbose" doc:"Also list the parts that work; any value"`
}

// readyz answers like upstream's check if all is well, else lists the broken parts. It adds warnings, unknown parts and,
// if verbose, the working parts.
func readyz(parts []Part, verbose bool) endpoint.Content {
	var broken []string
	var lines strings.Builder
	for _, part := range parts {
		alarm := ""
		if name := trouble.NameOf(part.Name); name != "" {
			alarm = " [" + name + "]"
		}
		if part.Warning != "" {
			fmt.Fprintf(&lines, "[!] %s: %s%s\n", part.Name, oneLine(part.Warning), alarm)
		}
		switch {
		case part.Err != nil:
			broken = append(broken, part.Name)
			fmt.Fprintf(&lines, "[-] %s failed (%s)%s\n", part.Name, oneLine(part.Err.Error()), alarm)
		case part.Unknown != "":
			fmt.Fprintf(&lines, "[?] %s unknown (%s)\n", part.Name, oneLine(part.Unknown))
		case verbose && part.Warning == "":
			fmt.Fprintf(&lines, "[+] %s ok\n", part.Name)
		}
	}
	if len(broken) == 0 {
		return endpoint.TextContent(http.StatusOK, "[+] ledger ok (SERVING)\n"+lines.String()+"readyz check passed\n")
	}
	text := fmt.Sprintf("[-] ledger failed (not ready: %s)\n%sreadyz check failed\n",
		strings.Join(broken, ", "), lines.String())
	return endpoint.TextContent(http.StatusServiceUnavailable, text)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
