package daml

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger/fault"
)

// titledPlace is a place with a title.
type titledPlace struct {
	title string
	script.Frame
}

// places are the places of a failure outside the SDK: the question of the script, and the failed code. If the archive
// does not have its source, the caller is shown, too.
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
		add("it was here when its time ended", fails)
	} else {
		add("it fails here", fails)
	}
	if fails != nil && !f.hasSource(fails.At) {
		add("called from here", first(failure.Calls, f.hasSource))
	}
	if fails == nil {
		add(textTitle, f.quotes(failure.Message, failure.Calls))
	}
	if failure.Question == "" { // the script itself fails, or code that it calls
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

const textTitle = "the package keeps no line of it, its text is here"

var (
	// literal is a text between quotes on one line, and declared the beginning of a choice.
	literal  = regexp.MustCompile(`"(?:[^"\\]|\\.)+"`)
	declared = regexp.MustCompile(`^\s.*\bchoice (\w+)`)
)

// quotes finds the line of the sources with a literal at which the message ends. Of several lines, it takes that of the
// innermost choice; nil for none or several. The compiler keeps no line of code that it moves, so the text may be all
// that leads to it.
func (f *file) quotes(message string, calls []script.Frame) *script.Frame {
	var all, own []script.Frame
	choice := innermostChoice(calls)
	for _, module := range f.modulesWithSource() {
		text, _ := f.source(module)
		around := ""
		for i, source := range strings.Split(text, "\n") {
			if begins := declared.FindStringSubmatch(source); begins != nil {
				around = begins[1]
			}
			column := endOf(message, source)
			if column < 0 {
				continue
			}
			at := ast.Position{Line: int32(i), Column: int32(column)}
			frame := script.Frame{At: ast.Location{Package: f.dar.Main.ID, Module: module, Start: at, End: at}}
			all = append(all, frame)
			if choice != "" && module+":"+around == choice {
				own = append(own, frame)
			}
		}
	}
	switch {
	case len(all) == 1:
		return &all[0]
	case len(own) == 1:
		return &own[0]
	default:
		return nil
	}
}

// endOf is the column of a literal at which a message ends; -1 for none.
func endOf(message, source string) int {
	const shortest = 4 // shorter literals say nothing
	for _, quoted := range literal.FindAllStringIndex(source, -1) {
		said, err := strconv.Unquote(source[quoted[0]:quoted[1]])
		if err == nil && len(said) >= shortest && strings.HasSuffix(message, said) {
			return quoted[0]
		}
	}
	return -1
}

// innermostChoice is the module and the name of the innermost choice, with a colon between; "" for none.
func innermostChoice(calls []script.Frame) string {
	for _, call := range calls {
		if parts := strings.Split(call.Definition, ":"); len(parts) == 4 && parts[3] == "choice" {
			return parts[0] + ":" + parts[2]
		}
	}
	return ""
}

// first is the innermost place of a kind, nil for none. An exact place wins over a place with only a definition.
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
// itself reports has no package.
func (f *file) hasSource(at ast.Location) bool {
	if at.IsZero() || at.Package != "" && at.Package != f.dar.Main.ID || f.dar.Main.Module(at.Module) == nil {
		return false
	}
	_, ok := f.source(at.Module)
	return ok
}

// excerpt writes the source lines of a place, with two lines before and after.
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
