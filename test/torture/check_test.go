package torture_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/torture"
)

// bank is a correct ledger that makes sequential histories with some reads.
type bank struct {
	random  *rand.Rand
	history torture.History
	active  map[string]torture.Contract
	gone    []string
	offset  int64
	clock   time.Duration
	done    []string // accepted commands
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// newHistory is a correct history of a few hundred operations.
func newHistory(seed uint64) torture.History {
	b := &bank{random: rand.New(rand.NewPCG(seed, 0)), active: map[string]torture.Contract{}}
	follows := []torture.Follow{{Reader: "follower"}, {Reader: "late follower", Begin: 20}}
	for i := range 300 {
		switch b.random.IntN(6) {
		case 0:
			b.read(fmt.Sprintf("reader %d", i%2))
		case 1:
			b.offset++ // a refusal of another user
			b.history.Others = append(b.history.Others, b.offset)
		case 2:
			b.refuse(i)
		default:
			b.move(i)
		}
	}
	for _, follow := range follows {
		follow.End = b.offset
		for _, commit := range b.history.Commits {
			if commit.Offset > follow.Begin {
				follow.Offsets = append(follow.Offsets, commit.Offset)
			}
		}
		b.history.Follows = append(b.history.Follows, follow)
	}
	return b.history
}

func (b *bank) tick() time.Duration {
	b.clock += time.Millisecond
	return b.clock
}

// pick is an active contract; "" for none.
func (b *bank) pick() string {
	ids := slices.Sorted(maps.Keys(b.active))
	if len(ids) == 0 {
		return ""
	}
	return ids[b.random.IntN(len(ids))]
}

// move mints a coin, or splits one in two.
func (b *bank) move(i int) {
	b.offset++
	command := fmt.Sprintf("command-%d", i)
	commit := torture.Commit{Offset: b.offset, UpdateID: "update-" + command, CommandID: command}
	operation := torture.Operation{
		CommandID: command, SubmissionID: command, Started: b.tick(), Outcome: torture.Accepted, Offset: b.offset,
		UpdateID: commit.UpdateID,
	}
	var input string
	if b.random.IntN(3) > 0 {
		input = b.pick()
	}
	half := decimal.MustParse("5.0")
	if input == "" {
		commit.Minted = decimal.MustParse("10.0")
		commit.Created = []torture.Contract{{ID: command + "-a", Owner: "alice", Amount: commit.Minted}}
	} else {
		operation.Inputs = []string{input}
		commit.Archived = operation.Inputs
		rest, _ := b.active[input].Amount.Sub(half)
		commit.Created = []torture.Contract{{ID: command + "-a", Owner: "bob", Amount: half}}
		if rest.Sign() > 0 {
			commit.Created = append(commit.Created, torture.Contract{ID: command + "-b", Owner: "alice", Amount: rest})
		}
		delete(b.active, input)
		b.gone = append(b.gone, input)
	}
	for _, created := range commit.Created {
		b.active[created.ID] = created
	}
	operation.Ended = b.tick()
	b.done = append(b.done, command)
	b.history.Commits = append(b.history.Commits, commit)
	b.history.Operations = append(b.history.Operations, operation)
}

// refuse adds a refused submission, with one of the possible reasons.
func (b *bank) refuse(i int) {
	if len(b.gone) == 0 {
		return
	}
	b.offset++
	operation := torture.Operation{
		CommandID: fmt.Sprintf("refused-%d", i), SubmissionID: fmt.Sprintf("try-%d", i), Started: b.tick(),
		Outcome: torture.Refused, Inputs: []string{b.gone[b.random.IntN(len(b.gone))]}, Code: "CONTRACT_NOT_FOUND",
	}
	at := epoch.Add(b.clock)
	switch b.random.IntN(4) {
	case 0:
		operation.CommandID, operation.Code = b.done[b.random.IntN(len(b.done))], "DUPLICATE_COMMAND"
	case 1:
		operation.NotAfter, operation.Inputs, operation.Code = at.Add(-time.Second), nil, "DEADLINE"
	case 2:
		operation.NotBefore, operation.Inputs, operation.Code = at.Add(time.Second), nil, "DEADLINE"
	}
	operation.Ended = b.tick()
	b.history.Operations = append(b.history.Operations, operation)
	b.history.Refusals = append(b.history.Refusals, torture.Refusal{
		Offset: b.offset, CommandID: operation.CommandID, SubmissionID: operation.SubmissionID, Code: operation.Code,
		RecordTime: at,
	})
}

func (b *bank) read(reader string) {
	b.history.Reads = append(b.history.Reads, torture.Read{
		Reader: reader, Started: b.tick(), Offset: b.offset, Active: maps.Clone(b.active), Ended: b.tick(),
	})
}

func TestCheck_AcceptsCorrectHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		require.Empty(t, torture.Check(newHistory(seed)), "seed %d", seed)
	}
}

func somewhere(length int) int { return length / 2 }

// commitWith is a commit in the second half of a history that satisfies holds.
func commitWith(h *torture.History, holds func(torture.Commit) bool) *torture.Commit {
	half := len(h.Commits) / 2
	return &h.Commits[half+slices.IndexFunc(h.Commits[half:], holds)]
}

func splits(c torture.Commit) bool { return len(c.Archived) > 0 }

// lastRead is the last read with contracts, and their ids.
func lastRead(h *torture.History) (*torture.Read, []string) {
	read := &h.Reads[len(h.Reads)-1]
	return read, slices.Sorted(maps.Keys(read.Active))
}

func created(h *torture.History, id string) torture.Contract {
	for _, commit := range h.Commits {
		for _, contract := range commit.Created {
			if contract.ID == id {
				return contract
			}
		}
	}
	return torture.Contract{}
}

func refusalOf(h *torture.History, code string) *torture.Operation {
	return &h.Operations[slices.IndexFunc(h.Operations, func(o torture.Operation) bool { return o.Code == code })]
}

// faults are possible faults of a ledger, with the rule that each breaks.
func faults() map[string]struct {
	rule  torture.Rule
	plant func(*torture.History)
} {
	type history = torture.History
	type fault = struct {
		rule  torture.Rule
		plant func(*torture.History)
	}
	return map[string]fault{
		"an offset is skipped": {torture.NoGaps, func(h *history) { h.Others = h.Others[1:] }},
		"an offset is given out twice": {torture.NoGaps, func(h *history) {
			h.Others = append(h.Others, h.Commits[somewhere(len(h.Commits))].Offset)
		}},
		"updates are out of order": {torture.NoGaps, func(h *history) {
			h.Commits[3], h.Commits[4] = h.Commits[4], h.Commits[3]
		}},
		"a coin is spent twice": {torture.ConsumedOnce, func(h *history) {
			first, second := commitWith(h, splits), &h.Commits[len(h.Commits)-1]
			second.Archived = append(slices.Clone(second.Archived), first.Archived[0])
		}},
		"a coin is spent that never was": {torture.ConsumedOnce, func(h *history) {
			commitWith(h, splits).Archived[0] = "nothing"
		}},
		"a contract is created twice": {torture.ConsumedOnce, func(h *history) {
			commitWith(h, splits).Created[0].ID = h.Commits[0].Created[0].ID
		}},
		"a transfer makes coin": {torture.Conserved, func(h *history) {
			commitWith(h, splits).Created[0].Amount = decimal.MustParse("5.0000000001")
		}},
		"a transfer loses coin": {torture.Conserved, func(h *history) {
			commitWith(h, splits).Created[0].Amount = decimal.MustParse("4.9999999999")
		}},
		"a command takes effect twice": {torture.EffectOnce, func(h *history) {
			h.Commits[5].CommandID = h.Commits[4].CommandID
		}},
		"an acknowledged update is lost": {torture.Acknowledged, func(h *history) {
			h.Operations[0].Offset = h.Others[0]
		}},
		"a client is told of another's update": {torture.Acknowledged, func(h *history) {
			h.Commits[2].UpdateID = "update-of-somebody-else"
		}},
		"a refusal leaves no completion": {torture.Acknowledged, func(h *history) {
			h.Others = append(h.Others, h.Refusals[0].Offset)
			h.Refusals = h.Refusals[1:]
		}},
		"a client is told another reason": {torture.Acknowledged, func(h *history) {
			refusalOf(h, "CONTRACT_NOT_FOUND").Code = "DUPLICATE_COMMAND"
		}},
		"a later command is recorded earlier": {torture.RealTime, func(h *history) {
			h.Operations[0].Ended = 0
			last := &h.Operations[slices.IndexFunc(h.Operations,
				func(o torture.Operation) bool { return o.Offset == h.Commits[len(h.Commits)-1].Offset })]
			last.Started, last.Ended = 0, 1
		}},
		"a read misses a coin": {torture.Prefix, func(h *history) {
			read, ids := lastRead(h)
			delete(read.Active, ids[0])
		}},
		"a read shows a coin that is spent": {torture.Prefix, func(h *history) {
			read, _ := lastRead(h)
			spent := commitWith(h, splits).Archived[0]
			read.Active[spent] = created(h, spent)
		}},
		"a read shows half a transaction": {torture.Prefix, func(h *history) {
			read, _ := lastRead(h)
			half := h.Commits[slices.IndexFunc(h.Commits, func(c torture.Commit) bool {
				return splits(c) && read.Active[c.Created[0].ID].ID != ""
			})]
			delete(read.Active, half.Created[0].ID)
			read.Active[half.Archived[0]] = created(h, half.Archived[0])
		}},
		"a read shows another amount": {torture.Prefix, func(h *history) {
			read, ids := lastRead(h)
			read.Active[ids[0]] = torture.Contract{ID: ids[0], Owner: "alice", Amount: decimal.MustParse("7.0")}
		}},
		"a read is ahead of the record": {torture.Prefix, func(h *history) {
			read, _ := lastRead(h)
			read.Offset += 1000
		}},
		"a reader goes back in time": {torture.Recent, func(h *history) {
			last := &h.Reads[len(h.Reads)-1]
			last.Offset, last.Active = h.Reads[2].Offset, h.Reads[2].Active
		}},
		"a read misses what its reader has committed": {torture.Recent, func(h *history) {
			first := &h.Reads[0]
			first.Started, first.Ended = time.Hour, time.Hour+1
		}},
		"a follower misses an update": {torture.Complete, func(h *history) {
			h.Follows[0].Offsets = h.Follows[0].Offsets[1:]
		}},
		"a follower misses the last one": {torture.Complete, func(h *history) {
			h.Follows[1].Offsets = h.Follows[1].Offsets[:len(h.Follows[1].Offsets)-1]
		}},
		"a follower gets an update twice": {torture.Complete, func(h *history) {
			h.Follows[0].Offsets[1] = h.Follows[0].Offsets[0]
		}},
		"a follower gets updates out of order": {torture.Complete, func(h *history) {
			offsets := h.Follows[0].Offsets
			offsets[5], offsets[6] = offsets[6], offsets[5]
		}},
		"an active coin is said to be gone": {torture.TrueRefusal, func(h *history) {
			refused := refusalOf(h, "CONTRACT_NOT_FOUND")
			refused.Inputs = []string{h.Commits[0].Created[0].ID}
			for i := range h.Commits {
				h.Commits[i].Archived = slices.DeleteFunc(slices.Clone(h.Commits[i].Archived),
					func(id string) bool { return id == refused.Inputs[0] })
			}
		}},
		"a new command is said to be known": {torture.TrueRefusal, func(h *history) {
			refused := refusalOf(h, "DUPLICATE_COMMAND")
			for i := range h.Commits {
				if h.Commits[i].CommandID == refused.CommandID {
					h.Commits[i].CommandID = "another"
				}
			}
		}},
		"a deadline is said to be missed": {torture.TrueRefusal, func(h *history) {
			refused := refusalOf(h, "DEADLINE")
			refused.NotAfter, refused.NotBefore = epoch.Add(time.Hour), time.Time{}
		}},
		"a time is said not to have come": {torture.TrueRefusal, func(h *history) {
			refused := refusalOf(h, "DEADLINE")
			refused.NotAfter, refused.NotBefore = time.Time{}, epoch
		}},
		"a refusal has a reason that nothing explains": {torture.TrueRefusal, func(h *history) {
			refused := refusalOf(h, "DUPLICATE_COMMAND")
			refused.Code = "UNKNOWN"
			for i := range h.Refusals {
				if h.Refusals[i].SubmissionID == refused.SubmissionID {
					h.Refusals[i].Code = "UNKNOWN"
				}
			}
		}},
	}
}

func TestCheck_FindsEveryPlantedFault(t *testing.T) {
	t.Parallel()
	for name, fault := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(5) {
				history := newHistory(seed)
				fault.plant(&history)
				var rules []torture.Rule
				for _, violation := range torture.Check(history) {
					require.NotEmpty(t, violation.Detail)
					rules = append(rules, violation.Rule)
				}
				require.Contains(t, rules, fault.rule, "seed %d", seed)
			}
		})
	}
}
