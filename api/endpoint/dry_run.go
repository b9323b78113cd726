package endpoint

import (
	"fmt"
	"net/http"
	"strings"
)

// DryRunParameter is the query parameter of dry runs.
const DryRunParameter = "dry_run"

// DryRunAsked reads the parameter of a change. The problem is a text for a caller whose request must be refused, so that
// no change is made by mistake; "" for none.
func DryRunAsked(r *http.Request, info Info, isSupported bool) (dry bool, problem string) {
	values, present := r.URL.Query()[DryRunParameter]
	switch {
	case !present || len(values) == 1 && values[0] == "false":
		return false, ""
	case len(values) != 1 || values[0] != "true":
		return false, fmt.Sprintf("The query parameter %s is %q. Send true to preview the change, or omit it "+
			"to make the change.", DryRunParameter, strings.Join(values, ", "))
	case !isSupported:
		return false, fmt.Sprintf("%s %s does not support %s. Nothing was done: omit the parameter to make the change.",
			info.Method, info.Path, DryRunParameter)
	default:
		return true, ""
	}
}
