package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// Node is a part of a file.
type Node struct {
	// Line is the first line, from 1.
	Line int
	Kind NodeKind
	// Text is the text of a [Scalar].
	Text string
	// Fields are the fields of a [Map], in the order of the file.
	Fields []Field
	// Items are the items of a [List].
	Items []Node
}

// NodeKind is the kind of a node.
type NodeKind int

// The kinds of nodes.
const (
	Scalar NodeKind = iota
	Map
	List
	// Null is a name without a value.
	Null
)

// Field is a named part of a map.
type Field struct {
	Name string
	Line int
	Node Node
}

// Read reads the settings of a whole file. Its error lists every mistake, one in a line, with the place, the value, the
// rule and the next step.
func Read(file Node) (Settings, error) {
	r := &reader{}
	settings := r.settings(file)
	if len(r.mistakes) > 0 {
		return Settings{}, &FileError{Mistakes: r.mistakes}
	}
	return settings, nil
}

// FileError lists the mistakes of a file.
type FileError struct{ Mistakes []string }

// Error implements error.
func (e *FileError) Error() string { return strings.Join(e.Mistakes, "\n") }

type reader struct{ mistakes []string }

func (r *reader) mistake(line int, path, format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Sprintf("line %d: %s: %s", line, path, fmt.Sprintf(format, args...)))
}

// plain normalizes a name: max-balance-usd, max_balance_usd and maxBalanceUSD are one.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// part reads the field at a path.
type part func(path string, field Field)

// fields reads a map with known names, each at most once.
func (r *reader) fields(path string, node Node, known map[string]part) {
	if node.Kind == Null {
		return
	}
	if node.Kind != Map {
		r.mistake(node.Line, pathOr(path), "names and values are expected here: %s", names(known))
		return
	}
	seen := make(map[string]string, len(node.Fields))
	for _, field := range node.Fields {
		at := join(path, field.Name)
		read, ok := lookUp(known, field.Name)
		switch earlier, twice := seen[plain(field.Name)]; {
		case !ok:
			r.mistake(field.Line, at, "there is no such setting; here are %s", names(known))
		case twice:
			r.mistake(field.Line, at, "is given twice, the first time as %s; keep one of them", earlier)
		default:
			seen[plain(field.Name)] = field.Name
			read(at, field)
		}
	}
}

func lookUp(known map[string]part, name string) (part, bool) {
	for candidate, read := range known {
		if plain(candidate) == plain(name) {
			return read, true
		}
	}
	return nil, false
}

func names(known map[string]part) string {
	all := make([]string, 0, len(known))
	for name := range known {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func join(path, name string) string {
	if strings.Contains(name, "::") {
		name = strconv.Quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func pathOr(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func (r *reader) settings(file Node) Settings {
	out := Settings{Sweeps: map[ledger.Party]Sweep{}, AutoAccept: map[ledger.Party]AutoAccept{}}
	topUp := func(path string, field Field) {
		if out.TopUp != nil {
			r.mistake(field.Line, path, "the top-up is given twice; keep one of top-up and domains.global.buy-extra-traffic")
			return
		}
		out.TopUp = r.topUp(path, field)
	}
	r.fields("", file, map[string]part{
		"top-up":                           topUp,
		"domains.global.buy-extra-traffic": topUp,
		"domains": func(path string, field Field) {
			r.fields(path, field.Node, map[string]part{"global": func(path string, field Field) {
				r.fields(path, field.Node, map[string]part{"buy-extra-traffic": topUp})
			}})
		},
		"wallet-sweep": func(path string, field Field) {
			r.parties(path, field.Node, func(path string, party ledger.Party, field Field) {
				out.Sweeps[party] = r.sweep(path, party, field)
			})
			r.rings(path, field.Node, out)
		},
		"auto-accept-transfers": func(path string, field Field) {
			r.parties(path, field.Node, func(path string, party ledger.Party, field Field) {
				out.AutoAccept[party] = r.autoAccept(path, field)
			})
		},
	})
	return out
}

// parties reads a map from party ids.
func (r *reader) parties(path string, node Node, read func(path string, party ledger.Party, field Field)) {
	if node.Kind == Null {
		return
	}
	if node.Kind != Map {
		r.mistake(node.Line, path, "party ids are expected here, each with its settings")
		return
	}
	seen := make(map[string]bool, len(node.Fields))
	for _, field := range node.Fields {
		at := join(path, field.Name)
		switch wrong := badParty(ledger.Party(field.Name)); {
		case wrong != "":
			r.mistake(field.Line, at, "%s", wrong)
		case seen[field.Name]:
			r.mistake(field.Line, at, "is given twice; keep one of them")
		default:
			seen[field.Name] = true
			read(at, ledger.Party(field.Name), field)
		}
	}
}

func (r *reader) topUp(path string, field Field) *TopUp {
	enabled := true
	topUp := TopUp{MinTopupInterval: Duration(DefaultMinTopupInterval), ReservedTraffic: DefaultReservedTraffic}
	r.check(path, field, map[string]part{
		"enabled":            func(path string, field Field) { r.boolean(path, field, &enabled) },
		"target-throughput":  func(path string, field Field) { r.integer(path, field, &topUp.TargetThroughput) },
		"min-topup-interval": func(path string, field Field) { r.duration(path, field, &topUp.MinTopupInterval) },
		"reserved-traffic":   func(path string, field Field) { r.integer(path, field, &topUp.ReservedTraffic) },
	}, func() []Problem { return topUp.Problems() }, nil)
	if !enabled {
		topUp.TargetThroughput = 0
	}
	return &topUp
}

func (r *reader) sweep(path string, sender ledger.Party, field Field) Sweep {
	var sweep Sweep
	r.check(path, field, map[string]part{
		"max-balance-usd": func(path string, field Field) { r.usd(path, field, &sweep.MaxBalanceUSD) },
		"min-balance-usd": func(path string, field Field) { r.usd(path, field, &sweep.MinBalanceUSD) },
		"receiver":        func(path string, field Field) { r.party(path, field, &sweep.Receiver) },
		"use-transfer-preapproval": func(path string, field Field) {
			r.boolean(path, field, &sweep.UseTransferPreapproval)
		},
	}, func() []Problem { return sweep.Problems(sender) }, []string{"max-balance-usd", "min-balance-usd", "receiver"})
	return sweep
}

// rings refuses sweeps that return coin to its source.
func (r *reader) rings(path string, node Node, settings Settings) {
	sweepOf := func(wallet ledger.Party) (automation.SweepConfig, bool, error) {
		sweep, ok := settings.Sweeps[wallet]
		return sweep.Config(), ok, nil
	}
	for _, field := range node.Fields {
		sender := ledger.Party(field.Name)
		sweep, read := settings.Sweeps[sender]
		if !read || sweep.Receiver == sender { // already reported
			continue
		}
		if wrong, _ := automation.SweepRing(sender, sweep.Receiver, sweepOf); wrong != "" { // sweepOf does not fail
			r.mistake(field.Line, join(path, field.Name)+".receiver", "%s", wrong)
		}
	}
}

func (r *reader) autoAccept(path string, field Field) AutoAccept {
	var accept AutoAccept
	r.check(path, field, map[string]part{
		"from-parties": func(path string, field Field) { r.partyList(path, field, &accept.FromParties) },
	}, func() []Problem { return accept.Problems() }, []string{"from-parties"})
	return accept
}

// check reads the values of one setting, requires some of them, and checks them together if all are readable.
func (r *reader) check(
	path string, field Field, known map[string]part, problems func() []Problem, required []string,
) {
	before := len(r.mistakes)
	lines := map[string]int{}
	wrapped := make(map[string]part, len(known))
	for name, read := range known {
		wrapped[name] = func(path string, field Field) {
			lines[name] = field.Line
			read(path, field)
		}
	}
	r.fields(path, field.Node, wrapped)
	for _, name := range required {
		if _, given := lines[name]; !given {
			r.mistake(field.Line, path, "%s is missing; add it", name)
		}
	}
	if len(r.mistakes) > before {
		return
	}
	for _, problem := range problems() {
		name, _, _ := strings.Cut(problem.Key, "[")
		line, given := lines[name]
		if !given {
			line = field.Line
		}
		r.mistake(line, join(path, problem.Key), "%s", problem.Text)
	}
}
