package node

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// userLimit is a limit for each user, of which each process with an API enforces its part.
type userLimit interface{ Divide(processes int) }

// shares divides the limits for users by the number of processes with an API. It is safe for concurrent use.
type shares struct {
	mu        sync.Mutex
	processes int
	limits    []userLimit
}

// join adds a limit, which the number of processes divides from now on.
func (s *shares) join(limit userLimit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = append(s.limits, limit)
	limit.Divide(max(1, s.processes))
}

// set divides the limits again if the number of processes has changed.
func (s *shares) set(processes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if processes = max(1, processes); processes == s.processes {
		return
	}
	s.processes = processes
	for _, limit := range s.limits {
		limit.Divide(processes)
	}
}

// count returns the last known number of processes.
func (s *shares) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(1, s.processes)
}

// countAPIs reads the number of processes with an API. After an error the old number stays.
func (n *Node) countAPIs(ctx context.Context) error {
	if !n.options.Roles.API {
		return nil
	}
	count, err := n.Database.APIs(ctx)
	if err == nil {
		n.shares.set(count)
	}
	return err
}

// rereadLimits applies the limits of the settings file, except those that need a restart.
func (n *Node) rereadLimits(context.Context) error {
	now, _, err := n.options.RereadSettings()
	if err != nil {
		return err
	}
	n.limits.Set(now.limitOptions())
	n.client.SetLimits(now.MaxInFlight, now.MaxUserInFlight)
	return nil
}

// restartFlags returns the flags of changed settings that need a restart.
func restartFlags(before, now map[string]string) (flags []string) {
	for flag, value := range now {
		if was, isKnown := before[flag]; isKnown && was != value && !isReread(flag) {
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return flags
}

// isReread reports whether SIGHUP applies a changed value of the flag.
func isReread(flag string) bool {
	switch flag {
	case "log-level", "max-in-flight":
		return true
	}
	limits := reflect.TypeFor[limitSettings]()
	for field := range limits.Fields() {
		if flagOf(field) == flag {
			return !slices.Contains(restartLimits, flag)
		}
	}
	return false
}

// restartLimits are the flags of limits that SIGHUP does not change.
var restartLimits = []string{"max-body"}

// flagOf derives the name of a flag from its environment variable.
func flagOf(field reflect.StructField) string {
	name := strings.TrimPrefix(field.Tag.Get("env"), "FLORIN_")
	return strings.ReplaceAll(strings.ToLower(name), "_", "-")
}
