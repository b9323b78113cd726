package daml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger/fault"
)

// titledPlace is a place with what happens there.
type titledPlace struct {
	title string
	script.Frame
}

// places are those that a failure is shown with: what the script asks for, and what fails, in code that is not the
// SDK's. Where its source is not in the archive, that of what called it is shown, too.
func (f *file) places(r result) []titledPlace {
	failure := r.report.Failure
	var out []titledPlace
	add := func(title string, frame *script.Frame) {
		if frame == nil {
			return
		}
		for _, shown := range out {
			if shown.At == frame.At {
				return
			}
		}
		out = append(out, titledPlace{title, *frame})
	}
	if at := first(failure.Script, f.hasSource); at != nil {
		add("the script asks "+failure.Question+" here", at)
	}
	own := func(at ast.Location) bool {
		return f.hasSource(at) || at.Package != "" && !script.IsStandard(f.packages[at.Package])
	}
	fails := first(failure.Calls, own)
	if failure.Late {
		add("it was here when its time was over", fails)
	} else {
		add("it fails here", fails)
	}
	if fails != nil && !f.hasSource(fails.At) {
		add("called from here", first(failure.Calls, f.hasSource))
	}
	if failure.Question == "" { // the script's own code fails, or what it calls
		name := r.script.Name
		for i, frame := range failure.Calls {
			if frame.Definition == name.QualifiedName() && frame.At.Module == name.Module && f.hasSource(frame.At) {
				add("the script is here", &failure.Calls[i])
				break
			}
		}
	}
	return out
}

// first is the innermost place of a kind; nil when there is none. One where only the definition is known counts where
// there is no other.
func first(frames []script.Frame, is func(ast.Location) bool) *script.Frame {
	var defined *script.Frame
	for i, frame := range frames {
		switch {
		case frame.At.IsZero() || !is(frame.At):
		case !frame.Defined:
			return &frames[i]
		case defined == nil:
			defined = &frames[i]
		}
	}
	return defined
}

// hasSource reports whether a place is in the main package, and its source in the archive. A place that the script
// tells of has no package.
func (f *file) hasSource(at ast.Location) bool {
	if at.IsZero() || at.Package != "" && at.Package != f.dar.Main.ID || f.dar.Main.Module(at.Module) == nil {
		return false
	}
	_, ok := f.source(at.Module)
	return ok
}

// excerpt shows the lines of a place, and two on both sides.
func (f *file) excerpt(out *strings.Builder, at ast.Location) {
	text, ok := f.source(at.Module)
	if !ok {
		return
	}
	const around, most = 2, 8
	lines := strings.Split(text, "\n")
	first, last := int(at.Start.Line), min(int(at.End.Line), int(at.Start.Line)+most)
	if at.End.Column == 0 && last > first {
		last--
	}
	for i := max(0, first-around); i <= min(last+around, len(lines)-1); i++ {
		mark := " "
		if i >= first && i <= last {
			mark = ">"
		}
		source := console.Plain(fault.ShortenTo(maxLine, strings.ReplaceAll(strings.TrimRight(lines[i], "\r"), "\t", "  ")))
		text := fmt.Sprintf("    %s %*d | %s", mark, len(strconv.Itoa(last+around+1)), i+1, source)
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}
