// Package sprig replaces functions for templates of Temporal's configuration files. Florin configures Temporal's server
// without a file. A template that calls one of the functions fails, because there are none.
package sprig

import "text/template"

func FuncMap() template.FuncMap { return template.FuncMap{} }
