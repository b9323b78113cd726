package prepared

import (
	"fmt"

	"github.com/florinledger/florin/ledger/fault"
)

// Scheme is a version of the hashing of prepared transactions. The values are the names of the public API.
type Scheme string

// The schemes.
const (
	SchemeUnspecified Scheme = "HASHING_SCHEME_VERSION_UNSPECIFIED"
	// SchemeV2 is the default. It knows no contract keys and does not cover the bound of the record time.
	SchemeV2 Scheme = "HASHING_SCHEME_VERSION_V2"
	SchemeV3 Scheme = "HASHING_SCHEME_VERSION_V3"
)

// Names lists the names that the API accepts.
func (Scheme) Names() []string {
	return []string{string(SchemeUnspecified), string(SchemeV2), string(SchemeV3)}
}

// number is the scheme's number in the final hash; 0 for an unknown scheme.
func (s Scheme) number() byte {
	switch s {
	case SchemeV2:
		return 2
	case SchemeV3:
		return 3
	default:
		return 0
	}
}

// The serialization versions of values and nodes.
const (
	// versionWithoutKeys is for nodes whose contracts have no key.
	versionWithoutKeys = "2.1"
	// versionWithKeys is for nodes whose contracts have a key. Scheme V2 does not know it.
	versionWithKeys = "2"
)

// hashes reports whether the scheme can hash nodes of the serialization version.
func (s Scheme) hashes(version string) bool {
	return version == versionWithoutKeys || s == SchemeV3 && version == versionWithKeys
}

// Check refuses an unspecified scheme.
func (s Scheme) Check() *fault.Fault {
	if s.number() == 0 {
		return fault.InvalidFieldNamed("hashing_scheme_version", "Unspecified version").
			WithHint("Use one of " + string(SchemeV2) + " and " + string(SchemeV3) + ".")
	}
	return nil
}

// CheckProtocol says that a synchronizer's protocol version does not know the scheme, or returns nil.
func (s Scheme) CheckProtocol(protocolVersion int) error {
	if s == SchemeV3 && protocolVersion < physicalSince {
		//nolint:staticcheck // ST1005: clients know this text
		return fmt.Errorf("Hashing scheme version V3 is not supported on protocol version %d. "+
			"Supported versions: %s", protocolVersion, SchemeV2)
	}
	return nil
}
