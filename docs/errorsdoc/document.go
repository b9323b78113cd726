package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

const introduction = `<!-- Written by ` + "`make generate`" + ` from package fault: change them there. -->
# Errors

Every refusal of the ledger API has a code. Clients test for the code, people read the cause, and the hint says
what to
do next. The body is JSON:

| Field | Content |
|---|---|
| ` + "`code`" + ` | the code; ` + "`NA`" + ` when details are kept back |
| ` + "`cause`" + ` | what is wrong: the rule and the offending value |
| ` + "`errorCategory`" + `, ` + "`grpcCodeValue`" + ` | the category below, and its gRPC status |
| ` + "`context`, `resources`" + ` | facts for machines |
| ` + "`retryInfo`" + ` | after how long to try again; null when that does not help |
| ` + "`definiteAnswer`" + ` | whether the outcome is settled |
| ` + "`correlationId`, `traceId`" + ` | the submission id; what to look for in the server's log |
| ` + "`hint`" + ` | what to do next; an addition of Florin, which other clients ignore |

A request that cannot be read at all is answered with 400 in plain text, which names the part and what is wrong
with it:
` + "`Invalid value for: body (Missing required field at 'commandId')`" + `. A body over the limit is 413, a
request that takes longer than the server waits 503, a method that a path does not take 405, all in plain text; a path
that does not exist is 404 in JSON.

## Categories

| Category | Name | HTTP | gRPC | Retry | Details |
|---|---|---|---|---|---|
`

// write makes the document for the repository in root.
func write(root string) (string, error) {
	source, err := readFaults(filepath.Join(root, "ledger", "fault"))
	if err != nil {
		return "", err
	}
	raised, err := source.raised(root, nodeFolders)
	if err != nil {
		return "", err
	}
	byEngine, err := source.raised(root, engineFolders)
	if err != nil {
		return "", err
	}
	when := make(map[string]string, len(source.codes))
	for _, code := range source.codes {
		when[code.id] = code.when
	}
	var out strings.Builder
	out.WriteString(introduction)
	for category := fault.TransientServerFailure; category <= fault.InternalUnsupportedOperation; category++ {
		if category == fault.BackgroundProcessDegradationWarning {
			continue // never sent
		}
		details := "sent"
		if category.Redacted() {
			details = "kept back"
		}
		fmt.Fprintf(&out, "| %d | %s | %d | %d | %s | %s |\n", category, category, category.HTTP(), category.GRPC(),
			orNo(category.Retry()), details)
	}
	codes := fault.Codes()
	fmt.Fprintf(&out, "\n## Codes\n\nA node answers %d of these %d codes. The others are failures of Daml that "+
		"`florin test` reports. Upstream has\nfurther codes, about parts that Florin does not have, such as other "+
		"synchronizers.\n",
		len(raised), len(codes))
	for _, code := range codes {
		if when[code.ID] == "" {
			return "", fmt.Errorf("code %s needs a comment that says when the node raises it", code.ID)
		}
		if raised[code.ID] && code.Tells == fault.Unraised {
			return "", fmt.Errorf("code %s does not say which details it tells: see fault.Tells", code.ID)
		}
		if !raised[code.ID] && !byEngine[code.ID] {
			return "", fmt.Errorf("code %s is never raised: remove it", code.ID)
		}
		out.WriteString(entry(code, when[code.ID], raised[code.ID]))
	}
	return out.String(), nil
}

func entry(code fault.Code, when string, raised bool) string {
	mark := "Raised by a node."
	if !raised {
		mark = "Raised by `florin test`."
	}
	kept := ""
	if code.Redacted() {
		kept = "; details are kept back, the code is sent as `NA`"
	}
	tells := ""
	if raised {
		tells = fmt.Sprintf("- Tells: %s\n", code.Tells)
	}
	return fmt.Sprintf("\n### `%s`\n\n%s %s\n\n- Category %d, HTTP %d, gRPC %d, retry: %s%s\n%s- What to do: %s\n",
		code.ID, upperFirst(when), mark, code.Category, code.HTTP(), code.Category.GRPC(), orNo(code.Category.Retry()),
		kept, tells, code.Hint)
}

func orNo(text string) string {
	if text == "" {
		return "no"
	}
	return text
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
