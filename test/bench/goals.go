package main

import (
	"fmt"
	"math"
)

const (
	// aloneGoal is the part of bare Temporal's rate that a node must reach with a workflow for each submission.
	aloneGoal = 0.9
	// batchGoal is the multiple of Temporal's rate that batching must reach, at batchConcurrency.
	batchGoal        = 10
	batchConcurrency = 64
	// idleGoal limits the time of an acknowledgement, as a multiple of a bare start.
	idleGoal = 2
	// alone is the largest average number of submissions in a workflow that counts as 1.
	alone = 1.005
)

// judge compares the figures with the goals.
func (r *Report) judge() {
	if r.Overload != nil {
		r.Goals = []Goal{judgeOverload(r.Overload)}
		return
	}
	if r.Neighbour != nil {
		r.Goals = []Goal{judgeNeighbour(r.Neighbour)}
		return
	}
	if r.Disk != nil {
		r.Goals = []Goal{judgeDisk(r.Disk)}
		return
	}
	r.Goals = []Goal{r.judgeAlone(), r.judgeBatches(), r.judgeIdle()}
}

// judgeAlone takes the worst stage that had a workflow for each submission.
func (r *Report) judgeAlone() Goal {
	goal := Goal{Name: fmt.Sprintf("a workflow for each submission: at least %.1f of bare Temporal", aloneGoal)}
	worst := r.worst(func(s Stage) bool { return *s.PerWorkflow <= alone })
	if worst == nil {
		goal.Figure = "not measured: run the node with --max-batch 1"
		return goal
	}
	return goal.decide(*worst.OfTemporal >= aloneGoal, worst)
}

// judgeBatches takes the worst stage at the concurrency of the goal that had batches.
func (r *Report) judgeBatches() Goal {
	name := fmt.Sprintf("batches at concurrency %d: at least %d times bare Temporal", batchConcurrency, batchGoal)
	goal := Goal{Name: name}
	worst := r.worst(func(s Stage) bool { return s.Concurrency == batchConcurrency && *s.PerWorkflow > alone })
	if worst == nil {
		goal.Figure = fmt.Sprintf("not measured: needs --concurrency %d and a node without --max-batch 1", batchConcurrency)
		return goal
	}
	return goal.decide(*worst.OfTemporal >= batchGoal, worst)
}

func (r *Report) judgeIdle() Goal {
	goal := Goal{Name: fmt.Sprintf("idle acknowledgement: at most %d times a bare start", idleGoal)}
	if r.Idle == nil || r.Idle.BareStart.P50 == 0 {
		goal.Figure = "not measured: needs Temporal's address"
		return goal
	}
	acknowledged, started := r.Idle.Acknowledgement.P50, r.Idle.BareStart.P50
	met := acknowledged <= idleGoal*started
	goal.Met = &met
	goal.Figure = fmt.Sprintf("%.2f (p50 %.1f ms against %.1f ms)", acknowledged/started, acknowledged, started)
	return goal
}

// worst is the stage with the lowest ratio to bare Temporal among those that count, nil when there is none.
func (r *Report) worst(counts func(Stage) bool) *Stage {
	lowest := math.Inf(1)
	var worst *Stage
	for i, s := range r.Stages {
		if s.OfTemporal != nil && s.PerWorkflow != nil && counts(s) && *s.OfTemporal < lowest {
			lowest, worst = *s.OfTemporal, &r.Stages[i]
		}
	}
	return worst
}

func (g Goal) decide(met bool, worst *Stage) Goal {
	g.Met = &met
	g.Figure = fmt.Sprintf("%.2f at worst (%s, %s, concurrency %d)",
		*worst.OfTemporal, worst.Scenario, worst.Mode, worst.Concurrency)
	return g
}
