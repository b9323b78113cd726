package node

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// divided is what a user has a share of, of which each process with an API takes its part.
type divided interface{ Divide(processes int) }

// shares tells how many processes serve users together. They are safe for concurrent use.
type shares struct {
	mu        sync.Mutex
	processes int
	of        []divided
}

// join adds something that is divided from now on.
func (s *shares) join(one divided) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of = append(s.of, one)
	one.Divide(max(1, s.processes))
}

// set divides anew when there are more processes now, or fewer.
func (s *shares) set(processes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if processes = max(1, processes); processes == s.processes {
		return
	}
	s.processes = processes
	for _, one := range s.of {
		one.Divide(processes)
	}
}

// count is how many processes there are, as far as this one knows.
func (s *shares) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(1, s.processes)
}

// countAPIs finds out how many processes serve users together. While nobody can say, there are as many as before.
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

// rereadLimits takes the limits of the settings file. Those that a restart takes stay as they are.
func (n *Node) rereadLimits(context.Context) error {
	now, _, err := n.options.Again()
	if err != nil {
		return err
	}
	n.limits.Set(now.limitOptions())
	n.client.SetLimits(now.MaxInFlight, now.MaxUserInFlight)
	return nil
}

// lateSettings are the flags of changed settings that are read at the start alone.
func lateSettings(before, now map[string]string) (flags []string) {
	for flag, value := range now {
		if was, isKnown := before[flag]; isKnown && was != value && !isReread(flag) {
			flags = append(flags, flag)
		}
	}
	slices.Sort(flags)
	return flags
}

// isReread reports whether a changed value of a setting counts after SIGHUP.
func isReread(flag string) bool {
	switch flag {
	case "log-level", "max-in-flight":
		return true
	}
	limits := reflect.TypeFor[limitSettings]()
	for field := range limits.Fields() {
		if flagOf(field) == flag {
			return !slices.Contains(limitsOfTheStart, flag)
		}
	}
	return false
}

// limitsOfTheStart are the flags of limits that SIGHUP does not change.
var limitsOfTheStart = []string{"max-body"}

// flagOf is the flag of a setting, which is named after the variable of its environment.
func flagOf(field reflect.StructField) string {
	name := strings.TrimPrefix(field.Tag.Get("env"), "FLORIN_")
	return strings.ReplaceAll(strings.ToLower(name), "_", "-")
}
