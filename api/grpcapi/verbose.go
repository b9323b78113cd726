package grpcapi

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// In JSON, values always have the labels of their fields; here only if the request's event format is verbose. Submissions
// without a format get the default one, which is; looking up a contract has none, and is not.

// verbosePaths lead from a request to the format of its events.
var verbosePaths = [][]protoreflect.Name{
	{"event_format"},
	{"transaction_format", "event_format"},
	{"update_format", "include_transactions", "event_format"},
}

// verboseIn finds out how a message says that its answer is verbose.
func verboseIn(message protoreflect.MessageDescriptor) func(protoreflect.Message) bool {
	for _, path := range verbosePaths {
		if message.Fields().ByName(path[0]) != nil {
			return func(request protoreflect.Message) bool { return isVerbose(request, path) }
		}
	}
	isVerbose := message.Name() != "GetContractRequest"
	return func(protoreflect.Message) bool { return isVerbose }
}

func isVerbose(message protoreflect.Message, path []protoreflect.Name) bool {
	for _, name := range path {
		field := message.Descriptor().Fields().ByName(name)
		if !message.Has(field) {
			return name == "transaction_format"
		}
		message = message.Get(field).Message()
	}
	return message.Get(message.Descriptor().Fields().ByName("verbose")).Bool()
}

func packageIDs(names []string) []lf.PackageID { return ledger.FromStrings[lf.PackageID](names) }
