package sentence

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

//go:embed choices/*.txt
var choices embed.FS

// rule says how an event becomes a sentence.
type rule struct {
	state           State
	inner, standard bool
	texts           []text
}

// text is a sentence with places for values; state is "" for that of its rule.
type text struct {
	words string
	state State
}

// rules are by the kind of event. TestRules_AreWellFormed holds that there is no error.
var rules, errRules = readRules(choices)

func readRules(from fs.FS) (map[string]rule, error) {
	names, err := fs.Glob(from, "choices/*.txt")
	if err != nil {
		return nil, err
	}
	read := map[string]rule{}
	for _, name := range names {
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		kind := ""
		for line := range strings.Lines(string(content)) {
			switch line = strings.TrimRight(line, "\n"); {
			case line == "" || line[0] == '#':
			case line[0] != ' ':
				var one rule
				if kind, one, err = readHead(line); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				if _, isTwice := read[kind]; isTwice {
					return nil, fmt.Errorf("%s: %s is there twice", name, kind)
				}
				read[kind] = one
			default:
				one := read[kind]
				words, state, _ := strings.Cut(strings.TrimSpace(line), "  ")
				one.texts = append(one.texts, text{words, State(state)})
				read[kind] = one
			}
		}
	}
	return read, nil
}

// readHead reads the first line of an entry.
func readHead(line string) (kind string, one rule, err error) {
	kind, rest, _ := strings.Cut(line, "  ")
	for word := range strings.FieldsSeq(rest) {
		switch state := State(word); {
		case word == "inner":
			one.inner = true
		case word == "standard":
			one.standard = true
		case slices.Contains([]State{Done, Waiting, Back, Refused, Expired, Quiet}, state):
			one.state = state
		default:
			return "", one, fmt.Errorf("%s: unknown word %q", kind, word)
		}
	}
	if one.state == "" {
		return "", one, fmt.Errorf("%s has no state", kind)
	}
	return kind, one, nil
}

// Entry are the texts of a choice, or of a created contract.
type Entry struct {
	Kind  string
	Texts []string
}

// Entries lists all kinds of events that have sentences of their own.
func Entries() []Entry {
	var list []Entry
	for _, kind := range slices.Sorted(maps.Keys(rules)) {
		entry := Entry{Kind: kind}
		for _, text := range rules[kind].texts {
			entry.Texts = append(entry.Texts, text.words)
		}
		list = append(list, entry)
	}
	return list
}

// present is the present of a verb in the past, for one who acts.
var present = map[string]string{
	"accepted": "accepts", "agreed": "agrees", "answered": "answers", "archived": "archives", "asked": "asks",
	"became": "becomes", "bought": "buys", "came": "comes", "cancelled": "cancels", "carried": "carries",
	"changed": "changes", "closed": "closes", "collected": "collects", "computed": "computes",
	"created": "creates", "continued": "continues", "did": "does", "dropped": "drops", "earned": "earns", "ended": "ends",
	"expired": "expires", "failed": "fails", "gave": "gives", "got": "gets", "granted": "grants", "had": "has",
	"invited": "invites", "joined": "joins", "kept": "keeps", "let": "lets", "made": "makes", "merged": "merges",
	"noted": "notes", "offered": "offers", "opened": "opens", "ordered": "orders", "paid": "pays",
	"pinged": "pings", "planned": "plans", "read": "reads", "refused": "refuses", "rejected": "rejects", "removed": "removes",
	"renewed": "renews", "reported": "reports", "sent": "sends", "set": "sets", "settled": "settles",
	"shared": "shares", "showed": "shows", "started": "starts", "stayed": "stays", "subscribed": "subscribes",
	"took": "takes", "turned": "turns", "unlocked": "unlocks", "updated": "updates", "used": "uses", "was": "is",
	"were": "are",
}
