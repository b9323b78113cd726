package adversary

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

const maxNesting = 8

type object = map[string]any

type maker struct {
	random *rand.Rand
	known  *knowledge
	// self is the party that uses the value.
	self string
	// hostile is the percentage of hostile values.
	hostile int
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// oneIn returns true with probability 1/n.
func (m maker) oneIn(n int) bool { return m.random.IntN(n) == 0 }

func (m maker) isHostile() bool { return m.random.IntN(100) < m.hostile }

// value makes a value of a type for a field, in the JSON of commands.
func (m maker) value(t *lf.Type, field string, depth int) any {
	switch t.Kind {
	case lf.KindUnit:
		return object{}
	case lf.KindBool:
		return m.oneIn(2)
	case lf.KindInt64:
		return m.integer(field)
	case lf.KindNumeric:
		return m.numeric()
	case lf.KindText:
		return m.text(field)
	case lf.KindParty:
		return m.party(field)
	case lf.KindContractID:
		return m.contractID(field)
	case lf.KindTimestamp:
		return m.timestamp()
	case lf.KindDate:
		return pick(m.random, []string{"2026-11-22", "0001-01-01", "9999-12-31"})
	default:
		return m.composite(t, field, depth)
	}
}

func (m maker) composite(t *lf.Type, field string, depth int) any {
	deep := depth >= maxNesting
	switch t.Kind {
	case lf.KindOptional:
		if deep || m.oneIn(2) || t.Element.Kind == lf.KindOptional {
			return nil
		}
		return m.value(t.Element, field, depth+1)
	case lf.KindList:
		list := []any{}
		for range m.length(deep) {
			list = append(list, m.value(t.Element, field, depth+1))
		}
		return list
	case lf.KindTextMap:
		texts := object{}
		for range m.length(deep) {
			texts[m.text(field)] = m.value(t.Element, field, depth+1)
		}
		return texts
	case lf.KindGenMap:
		entries := []any{}
		for range m.length(deep) {
			entries = append(entries, []any{m.value(t.Key, field, depth+1), m.value(t.Element, field, depth+1)})
		}
		return entries
	case lf.KindRecord:
		record := object{}
		for _, member := range t.Fields {
			record[member.Name] = m.value(member.Type, name(field, member.Name), depth+1)
		}
		return record
	case lf.KindVariant:
		constructor := pick(m.random, t.Constructors)
		return object{"tag": constructor.Name, "value": m.value(constructor.Type, name(field, constructor.Name), depth+1)}
	case lf.KindEnum:
		return pick(m.random, t.Constructors).Name
	default:
		return nil
	}
}

// name is the name of the inner field. For records with a single field, such as rounds and durations, it is the outer
// one.
func name(outer, inner string) string {
	switch inner {
	case "number", "microseconds", "unpack", "map":
		return outer + " " + inner
	default:
		return inner
	}
}

func (m maker) length(deep bool) int {
	if deep {
		return 0
	}
	return pick(m.random, []int{0, 1, 1, 2})
}

// integer prefers plausible round numbers, amounts of traffic, and durations.
func (m maker) integer(field string) string {
	if m.isHostile() {
		return pick(m.random, []string{
			"9223372036854775807", "-9223372036854775808", "9000000000000000000", "-1", "4611686018427387904",
			"999999999999999999",
		})
	}
	switch {
	case strings.HasSuffix(field, "number"):
		return strconv.Itoa(m.random.IntN(int(m.known.round) + 3))
	case strings.HasSuffix(field, "microseconds"):
		return pick(m.random, []string{"600000000", "1000000", "86400000000", "0"})
	case strings.Contains(field, "raffic") || strings.Contains(field, "urchased"):
		return pick(m.random, []string{"200000", "1000000", "1"})
	default:
		return strconv.Itoa(m.random.IntN(4))
	}
}

func (m maker) numeric() string {
	if m.isHostile() {
		return pick(m.random, []string{
			"9000000000000000000000000000.0", "9999999999999999999999999999.9999999999", "1000000000000000.0", "1000000000.0",
			"0.0000000001", "-1.0", "-9999999999999999999999999999.9999999999", "0.0", "3.3333333333",
		})
	}
	return pick(m.random, []string{"1.0", "0.5", "2.5", "10.0", "100.0"})
}

func hostileTexts() []string {
	return []string{
		"", " ", "\x00", "a\x00b", "\u202etxt.exe", "../../etc/passwd", "'; DROP TABLE contracts; --", "%s%n%d", "👩‍👩‍👧",
		strings.Repeat("long", 16_000), strings.Repeat("x", 300), `{"a":`, "\ufeff", "a\nb",
	}
}

func (m maker) text(field string) string {
	if m.isHostile() {
		return pick(m.random, hostileTexts())
	}
	switch {
	case strings.Contains(field, "ynchronizer") || strings.Contains(field, "domain"):
		return m.known.synchronizer
	case strings.Contains(field, "ember"):
		return m.known.member
	case strings.Contains(field, "racking") || strings.Contains(field, "ommand") || strings.Contains(field, "edup"):
		return pick(m.random, m.known.trackingIDs())
	case field == "id":
		return pick(m.random, []string{"Amulet", "1", m.known.member})
	case field == "migrationId":
		return "0"
	default:
		return pick(m.random, []string{"text", "1", "Amulet", m.known.member, m.known.synchronizer})
	}
}

// party is mostly the adversary's own, because the node refuses commands that others must sign.
func (m maker) party(field string) string {
	if field == "dso" || field == "admin" || field == "expectedDso" || field == "expectedAdmin" {
		if m.oneIn(3) {
			return m.known.dso
		}
		return m.self
	}
	if m.oneIn(3) {
		return pick(m.random, m.known.others())
	}
	if m.oneIn(4) {
		return pick(m.random, m.known.own)
	}
	return m.self
}

// contractID prefers a contract of the kind in the field's name.
func (m maker) contractID(field string) string {
	if candidates := m.known.findCandidates(field); len(candidates) > 0 && !m.oneIn(4) {
		return pick(m.random, candidates).id
	}
	if all := m.known.contracts; len(all) > 0 && !m.oneIn(8) {
		return pick(m.random, all).id
	}
	return pick(m.random, []string{"00", "0012", "00" + strings.Repeat("ab", 64), strings.Repeat("00", 5000)})
}

func (m maker) timestamp() string {
	now := m.known.ledgerTime
	if m.isHostile() {
		return pick(m.random, []string{"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"})
	}
	offset := pick(m.random, []time.Duration{-24 * time.Hour, -time.Second, time.Minute, time.Hour, 90 * 24 * time.Hour})
	return lf.TimestampOf(now.Add(offset)).String()
}
