package console

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watched is a progress on a terminal whose time the test moves.
func watched() (p *Progress, seen *bytes.Buffer, pass func(time.Duration)) {
	now := time.Unix(1_800_000_000, 0)
	seen = &bytes.Buffer{}
	p = &Progress{to: seen, now: func() time.Time { return now }, stop: func() {}}
	return p, seen, func(time time.Duration) { now = now.Add(time) }
}

func TestProgress_TellsHowFarAndHowLong(t *testing.T) {
	t.Parallel()
	p, seen, pass := watched()
	p.draw()
	p.Begin("audit the record", 1000)
	p.draw()
	require.Empty(t, seen.String(), "short work has no line")
	pass(time.Second)
	p.draw()
	p.Set(250, 1000)
	pass(9 * time.Second)
	p.draw()
	p.Add(250)
	p.draw()
	p.End()
	p.End()
	p.draw()
	require.Equal(t, clearLine+"florin: audit the record: 1s until now"+
		clearLine+"florin: audit the record: 25 %, about 30s left"+
		clearLine+"florin: audit the record: 50 %, about 10s left"+clearLine, seen.String())
}

func TestProgress_MakesRoomForOtherOutput(t *testing.T) {
	t.Parallel()
	p, seen, pass := watched()
	p.Begin("run the scripts", 2)
	p.Around(func() { seen.WriteString("first\n") })
	pass(time.Second)
	p.draw()
	p.Around(func() { seen.WriteString("second\n") })
	require.Equal(t, "first\n"+clearLine+"florin: run the scripts: 1s until now"+clearLine+"second\n", seen.String())
}

func TestProgress_NamesEachPart(t *testing.T) {
	t.Parallel()
	p, seen, pass := watched()
	for _, file := range []string{"a.dar", "b.dar"} {
		p.Resume("upload "+file, 2)
		pass(4 * time.Second)
		p.draw()
		p.Add(1)
	}
	require.Equal(t, clearLine+"florin: upload a.dar: 4s until now"+
		clearLine+"florin: upload b.dar: 50 %, about 8s left", seen.String())
}

func TestProgress_ShowsNothingWithoutATerminal(t *testing.T) {
	t.Parallel()
	p := Output{}.NewProgress(t.Context()) // the standard error of tests is a file
	defer p.End()
	require.False(t, p.Shows())
	p.Begin("audit the record", 10)
	p.Set(5, 10)
	p.draw()
	require.False(t, p.isDrawn)
}
