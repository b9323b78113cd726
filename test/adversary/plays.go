package adversary

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// play is a kind of step.
type play struct {
	name string
	// weight is its share of the steps.
	weight int
	do     func(*attacker, context.Context) error
}

func plays() []play {
	return []play{
		{"route", 360, (*attacker).playRoute},
		{"create", 150, (*attacker).playCreate},
		{"exercise", 300, (*attacker).playExercise},
		{"fund", 20, (*attacker).playFund},
		{"tracking", 25, (*attacker).playTracking},
		{"onboarding", 20, (*attacker).playOnboarding},
		{"tamper", 25, (*attacker).playTamper},
		{"keys", 25, (*attacker).playKeys},
		{"users", 25, (*attacker).playUsers},
		{"burst", 15, (*attacker).playBurst},
		{"streams", 10, (*attacker).playStreams},
		{"scan", 10, (*attacker).playScan},
		{"far", 5, (*attacker).playFar},
		{"dear", 5, (*attacker).playDear},
		{"engine", 10, (*attacker).playEngine},
	}
}

// PlayNames lists the names of all kinds of steps.
func PlayNames() (names []string) {
	for _, p := range plays() {
		names = append(names, p.name)
	}
	return names
}

// step is one step of a run. The seed and its number determine it.
type step struct {
	number int
	play   string
	// index counts the steps of its kind.
	index  int
	random *rand.Rand
	do     func(*attacker, context.Context) error
}

// schedule lists the steps of a run.
func schedule(options Options) []step {
	var chosen []play
	total := 0
	for _, p := range plays() {
		if options.plays(p.name) {
			chosen = append(chosen, p)
			total += p.weight
		}
	}
	steps := make([]step, 0, options.Steps)
	indexes := map[string]int{}
	for number := 1; number <= options.Steps && total > 0; number++ {
		random := newRandom(options.Seed, uint64(number))
		drawn := random.IntN(total)
		at := 0
		for drawn >= chosen[at].weight {
			drawn -= chosen[at].weight
			at++
		}
		p := chosen[at]
		steps = append(steps, step{number, p.name, indexes[p.name], random, p.do})
		indexes[p.name]++
	}
	return steps
}

func (a *attacker) take(ctx context.Context, s step) error {
	a.step = s
	a.coverage.plays[s.play]++
	if err := s.do(a, ctx); err != nil {
		return fmt.Errorf("step %d (%s): %w", s.number, s.play, err)
	}
	return nil
}

// anyone is a random identity, most often one with a wallet.
func (a *attacker) anyone() identity {
	if a.step.random.IntN(3) > 0 {
		return a.me()
	}
	return pick(a.step.random, a.identities)
}

// me is a random user of the adversary with a wallet.
func (a *attacker) me() identity { return pick(a.step.random, a.mine) }
