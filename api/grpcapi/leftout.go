package grpcapi

import "google.golang.org/protobuf/reflect/protoreflect"

// isLeftOut reports whether a field has no partner in JSON on purpose.
func isLeftOut(name protoreflect.FullName) bool { return leftOut[name] != "" }

// leftOut are such fields, with the reason.
var leftOut = map[protoreflect.FullName]string{}
