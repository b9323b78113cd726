package adversary

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/lf"
)

const self = "mallory::1220aa"

func testKnown() *knowledge {
	return &knowledge{
		dso: "DSO::1220dd", operator: "operator::1220ee", synchronizer: "global-domain::1220cc",
		member: "PAR::participant::1220ff",
		own:    []string{self}, bystanders: []string{"alice::1220ff"}, users: []string{"alice"}, round: 3,
		ledgerTime: time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC),
		contracts: []contract{
			{id: "00aa", templateID: "#splice-amulet:Splice.AmuletRules:AmuletRules", blob: "YQ=="},
			{id: "00bb", templateID: "#splice-amulet:Splice.Round:OpenMiningRound", blob: "YQ=="},
		},
	}
}

func TestValues_HaveTheTypesOfTheirFields(t *testing.T) {
	t.Parallel()
	all, err := templates()
	require.NoError(t, err)
	require.Greater(t, len(all), 50)
	m := maker{random: newRandom(1, 0), known: testKnown(), self: self}
	check := func(of *lf.Type, what string) {
		for range 50 {
			encoded, err := json.Marshal(m.value(of, "", 0))
			require.NoError(t, err, what)
			_, err = lf.DecodeJSON(of, encoded)
			require.NoError(t, err, "%s: %s", what, encoded)
		}
	}
	for _, one := range all {
		check(one.payload, one.String())
		for _, choice := range one.choices {
			check(choice.argument, choice.label(one))
		}
	}
}

func TestDeck_DealsEachCardBeforeRepeating(t *testing.T) {
	t.Parallel()
	const cards = 17
	for round := range 3 {
		var dealt []int
		for i := range cards {
			dealt = append(dealt, deal(7, "deck", round*cards+i, cards))
		}
		slices.Sort(dealt)
		require.Len(t, slices.Compact(dealt), cards)
	}
}

func TestSchedule_RepeatsPartsOfARun(t *testing.T) {
	t.Parallel()
	options := Options{Seed: 3, Steps: 200}
	whole := schedule(options)
	require.Len(t, whole, 200)
	for i, again := range schedule(options) {
		require.Equal(t, whole[i].play, again.play)
		require.Equal(t, whole[i].index, again.index)
		require.Equal(t, whole[i].random.Uint64(), again.random.Uint64())
	}
	options.Only, options.Without = []string{"keys", "scan"}, []string{"scan"}
	for _, step := range schedule(options) {
		require.Equal(t, "keys", step.play)
	}
}

func TestMarks_FindsThoseOfOtherUsers(t *testing.T) {
	t.Parallel()
	m := marks{9}
	text, amount := m.text(3, "offer"), m.amount(3)
	require.Empty(t, m.in([]byte(`{"amount":"1.0"}`), nil))
	require.NotEmpty(t, m.in([]byte(`{"description":"`+text+`"}`), nil))
	require.NotEmpty(t, m.in([]byte(`{"amount":"`+amount+`00"}`), []byte(text)))
	require.Empty(t, m.in([]byte(text), []byte(text)))
}

func TestKnown_OffersContractsByKind(t *testing.T) {
	t.Parallel()
	k := testKnown()
	require.Equal(t, "00aa", k.findCandidates("amuletRules")[0].id)
	require.Equal(t, "00bb", k.findCandidates("openMiningRound")[0].id)
	require.Equal(t, "00bb", k.findCandidates("openRound")[0].id)
	require.Empty(t, k.findCandidates("proposal"))
}

func TestRequest_QuotesForTheShell(t *testing.T) {
	t.Parallel()
	line := request{
		method: "POST", url: "http://node/v0", host: "evil.example", token: "t", header: map[string]string{"A": "b"},
		body: []byte(`{"a":"it's"}`),
	}.curl()
	require.Equal(t, `curl -s -X POST 'http://node/v0' -H 'Host: evil.example' -H 'Authorization: Bearer t' -H 'A: b' `+
		`-d '{"a":"it'\''s"}'`, line)
}
