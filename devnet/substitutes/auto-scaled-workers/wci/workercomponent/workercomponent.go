// Package workercomponent stands in for the workflows that scale workers: there are none.
package workercomponent

import "go.uber.org/fx"

// Module provides nothing.
var Module = fx.Options()
