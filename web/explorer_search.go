package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/outline"
)

// maxOffsetDigits is the number of digits of the largest offset, updateLength the length of an update's id,
// packageLength that of a package's.
const maxOffsetDigits, updateLength, packageLength = 19, 68, 64

// shortestID is the number of digits of the shortest start of an id that the search takes.
const shortestID = 4

// searched is the number of the newest updates in which the page looks for what has no call of its own.
const searched = 100

type foundView struct {
	For       string
	Templates []namedTemplate
	// Updates are those with the command, the workflow, or the start of an id, and the refused commands with the id.
	Updates []row
	// Contracts are those whose id begins with the search.
	Contracts []string
	Searched  int
}

// find redirects to the page of what the visitor typed, or lists what it may mean.
func (s *site) find(v *visit, as reader) error {
	typed := strings.TrimSpace(v.r.URL.Query().Get("for"))
	if path := pathOf(typed, as); path != "" {
		s.goTo(v, path)
		return nil
	}
	data := foundView{For: typed, Searched: searched}
	if typed != "" {
		party, err := s.findParty(v, typed)
		if err != nil {
			return err
		}
		if party != "" {
			s.goTo(v, explorerPath+"/parties/"+url.PathEscape(party))
			return nil
		}
		if data.Templates, err = s.templatesNamed(v, typed, true); err != nil {
			return err
		}
		if err := s.addRecent(v, as, &data); err != nil {
			return err
		}
	}
	switch len(data.Templates) + len(data.Updates) + len(data.Contracts) {
	case 0:
		return unprocessable(fmt.Sprintf("Nothing found for %q.", typed), fmt.Sprintf("Search for the id of an update (starts "+
			"with 1220), of a contract (starts with 00) or of a party (contains ::), for an offset, or for the name of a party "+
			"or an uploaded template or choice. The node finds a command, a workflow or the start of an id only in its newest %d updates.", searched))
	case 1:
		s.goTo(v, data.only())
		return nil
	default:
		return s.show(v, "found", data)
	}
}

// pathOf is the page of what is unmistakable: an offset, or a whole id or name; "" for anything else.
func pathOf(typed string, as reader) string {
	name, isTemplate := outline.ParseName(typed)
	switch {
	case typed == "":
		return ""
	case len(typed) <= maxOffsetDigits && strings.Trim(typed, "0123456789") == "":
		return explorerPath + "/offsets/" + typed
	case isTemplate && (len(name.Package) == packageLength || strings.HasPrefix(name.Package, "#")): // else an id of a workflow
		return templatePath(typed)
	case strings.Contains(typed, "::"):
		return explorerPath + "/parties/" + url.PathEscape(typed)
	case as.partyOf(typed) != typed:
		return explorerPath + "/parties/" + url.PathEscape(as.partyOf(typed))
	case !isHex(typed):
		return ""
	case strings.HasPrefix(typed, "1220") && len(typed) == updateLength:
		return explorerPath + "/updates/" + typed
	case strings.HasPrefix(typed, "00") && len(typed) >= shortestContract:
		return contractsPath + "/" + typed
	default:
		return ""
	}
}

// only is the page of the only match.
func (f foundView) only() string {
	switch {
	case len(f.Templates) > 0:
		return templatePath(f.Templates[0].Name.String())
	case len(f.Updates) > 0:
		return f.Updates[0].Path()
	default:
		return contractsPath + "/" + url.PathEscape(f.Contracts[0])
	}
}

// addRecent looks through the newest updates for a command, a workflow, or an id that begins so, as sentences show it.
func (s *site) addRecent(v *visit, as reader, to *foundView) error {
	start := strings.TrimSuffix(strings.TrimPrefix(to.For, "#"), "…")
	isStart := isHex(start) && len(start) >= shortestID
	page, err := v.updatesPage(map[string]any{"descendingOrder": true, "updateFormat": as.updates()}, searched)
	if err != nil {
		return err
	}
	tell := s.teller(v, as)
	isListed := map[string]bool{}
	for _, found := range page.Updates {
		from := found.Update.Transaction.Value
		if from.Command == to.For || from.Workflow == to.For || isStart && strings.HasPrefix(from.ID, start) {
			to.Updates = append(to.Updates, row{
				ID: from.ID, Offset: from.Offset, Recorded: from.Recorded, Said: tell.update(from.Events),
			})
		}
		for _, event := range from.Events {
			contract := event.head(as).Contract
			isMatch := strings.HasPrefix(contract, start) || strings.HasPrefix(strings.TrimPrefix(contract, "00"), start)
			if isStart && isMatch && !isListed[contract] {
				isListed[contract] = true
				to.Contracts = append(to.Contracts, contract)
			}
		}
	}
	to.Contracts, _ = firstOf(to.Contracts)
	lowest := int64(0)
	if len(page.Updates) > 0 {
		lowest = page.Updates[len(page.Updates)-1].Update.Transaction.Value.Offset
	}
	refused, err := v.refusals(as, lowest)
	for _, one := range refused {
		if one.Command == to.For {
			to.Updates = append(to.Updates, s.refusalRow(v, as, one))
		}
	}
	return err
}

// Words say how many things were found.
func (f foundView) Words() string {
	return strconv.Itoa(len(f.Templates)+len(f.Updates)+len(f.Contracts)) + " matches"
}
