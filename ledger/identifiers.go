package ledger

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Party is a party id, hint::namespace.
type Party = lf.Party

// ContractID names a contract: lower-case hexadecimal, starting with 00.
type ContractID = lf.ContractID

// Offset is a position in the node's record: 0 before the first entry, strictly increasing, no gaps.
type Offset int64

// UpdateID names a committed transaction: 1220 followed by 64 lower-case hexadecimal characters.
type UpdateID string

// Lengths and character sets of the identifiers, as upstream's server checks them.
const (
	// MaxPartyHintLength is what the namespace leaves of a party id.
	MaxPartyHintLength = maxPartyLength - len("::") - namespaceLength
	maxPartyLength     = 255
	namespaceLength    = 68 // of a fingerprint: 1220 and a hash in hexadecimal
	maxNameLength      = 1000
	maxHexIDLength     = 255
)

var (
	ledgerStringPattern = regexp.MustCompile(`^[A-Za-z0-9._:\-#/ ]{1,255}$`)
	userIDPattern       = regexp.MustCompile("^[a-zA-Z0-9@^$.!`\\-#+'~_|:()]{1,128}$")
	packageIDPattern    = regexp.MustCompile(`^[A-Za-z0-9\-_ ]{1,64}$`)
	packageNamePattern  = regexp.MustCompile(`^[A-Za-z0-9\-_]{1,255}$`)
	namePattern         = regexp.MustCompile(`^[A-Za-z$_][A-Za-z0-9$_]*$`)
	aliasPattern        = regexp.MustCompile(`^[A-Za-z0-9:\-_ ]{1,185}$`)
	fingerprintPattern  = regexp.MustCompile(`^[A-Za-z0-9]{1,68}$`)
	physicalPattern     = regexp.MustCompile(`^[0-9]+-[0-9]+$`)
)

// CheckLedgerString says what is wrong with a value that must be a LedgerString (command, workflow and submission ids,
// identity provider ids), or returns nil.
func CheckLedgerString(value string) error {
	if !ledgerStringPattern.MatchString(value) {
		return fmt.Errorf("%q is not 1 to 255 characters of A-Z a-z 0-9 . _ : - # / and space", fault.Shorten(value))
	}
	return nil
}

// CheckUserID says what is wrong with a value that must be a UserIdString, or returns nil.
func CheckUserID(value string) error {
	if !userIDPattern.MatchString(value) {
		return fmt.Errorf("User ID %q does not match regex %s", fault.Shorten(value), userIDPattern)
	}
	return nil
}

// CheckPathName says what is wrong with a new name that becomes part of URL paths, or returns nil. HTTP clients remove
// the segments "." and ".." from a path, even percent-encoded (RFC 3986, 5.2.4; WHATWG URL), so no request could reach
// such a name.
func CheckPathName(value string) error {
	if value == "." || value == ".." {
		return fmt.Errorf("%q cannot be a name: HTTP clients remove it from URL paths", value)
	}
	return nil
}

// CheckParty says what is wrong with a value that must be a PartyIdString, or returns nil.
func CheckParty(value string) error { return lf.CheckParty(value) }

// SplitParty splits a party's or participant's id into its hint and the fingerprint of its namespace; ok is false where
// one of them is missing.
func SplitParty(id string) (hint, namespace string, ok bool) { return lf.SplitParty(id) }

// CheckPartyHint says what is wrong with the first part of a new party id, or returns nil.
func CheckPartyHint(hint string) error {
	if err := CheckParty(hint); err != nil {
		return err
	}
	if len(hint) > MaxPartyHintLength {
		return fmt.Errorf("party hint of %d characters is longer than %d: a party's id is the hint, \"::\" and the %d "+
			"characters of its namespace, and has at most %d", len(hint), MaxPartyHintLength,
			namespaceLength, maxPartyLength)
	}
	if strings.Contains(hint, "::") {
		return fmt.Errorf("party hint %q must not contain two colons in a row", hint)
	}
	return nil
}

// CheckPackageID says what is wrong with a package id, or returns nil.
func CheckPackageID(value string) error {
	if !packageIDPattern.MatchString(value) {
		return fmt.Errorf("%q is not a package id (1 to 64 characters of A-Z a-z 0-9 - _ and space)", fault.Shorten(value))
	}
	return nil
}

// CheckPackageName says what is wrong with a package name, or returns nil.
func CheckPackageName(value string) error {
	if !packageNamePattern.MatchString(value) {
		return fmt.Errorf("%q is not a package name (1 to 255 characters of A-Z a-z 0-9 - _)", fault.Shorten(value))
	}
	return nil
}

// CheckName says what is wrong with the name of a choice, field or entity, or returns nil.
func CheckName(value string) error {
	if len(value) > maxNameLength || !namePattern.MatchString(value) {
		return fmt.Errorf("%q is not a name (a letter, $ or _, then letters, digits, $ or _)", fault.Shorten(value))
	}
	return nil
}

// CheckSynchronizerID says what is wrong with a synchronizer id (alias::fingerprint, with ::version-serial in the
// physical form), or returns nil.
func CheckSynchronizerID(value string) error {
	parts := strings.Split(value, "::")
	ok := len(parts) >= 2 && aliasPattern.MatchString(parts[0]) && fingerprintPattern.MatchString(parts[1])
	switch {
	case ok && len(parts) == 2:
		return nil
	case ok && len(parts) == 3 && physicalPattern.MatchString(parts[2]):
		return nil
	default:
		return fmt.Errorf("%q is not a synchronizer id of the form alias::fingerprint, or "+
			"alias::fingerprint::version-serial", fault.Shorten(value))
	}
}

// PhysicalSynchronizerID adds the version of its protocol and its serial to a synchronizer's id.
func PhysicalSynchronizerID(logical string, protocolVersion, serial int) string {
	return fmt.Sprintf("%s::%d-%d", logical, protocolVersion, serial)
}

// IsSynchronizer reports whether an id is that of the node's synchronizer, the logical or the physical one.
func (n Node) IsSynchronizer(id string) bool {
	return id == n.SynchronizerID || id == PhysicalSynchronizerID(n.SynchronizerID, ProtocolVersion, SynchronizerSerial)
}

// CheckSynchronizer refuses ids that are malformed or not those of this node's synchronizer. It accepts "".
func (n Node) CheckSynchronizer(id, field string) error {
	if id == "" {
		return nil
	}
	if err := CheckSynchronizerID(id); err != nil {
		return fault.InvalidFieldNamed(field, err.Error())
	}
	if !n.IsSynchronizer(id) {
		return fault.NotConnectedToSynchronizer.New("This participant is not connected to synchronizer %s", id).
			WithResource("SYNCHRONIZER_ID", id).
			WithHint("Leave the synchronizer out, or take its id from GET /v2/state/connected-synchronizers.")
	}
	return nil
}

// CheckContractID says what is wrong with a contract id, or returns nil.
func CheckContractID(value string) error {
	raw, err := hex.DecodeString(value)
	if err != nil || value != strings.ToLower(value) || len(value) > maxHexIDLength {
		return fmt.Errorf("cannot parse ContractId %q", fault.Shorten(value))
	}
	if len(raw) < 33 || raw[0] != contractIDVersion {
		return fmt.Errorf("cannot parse ContractId %q: it must start with 00 and a hash of 32 bytes", fault.Shorten(value))
	}
	return nil
}

// SortedParties returns the distinct parties of all lists in ascending order.
func SortedParties(lists ...[]Party) []Party {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return slices.Compact(out)
}

// PartiesContain reports whether a sorted list holds the party.
func PartiesContain(sorted []Party, party Party) bool {
	_, found := slices.BinarySearch(sorted, party)
	return found
}

// MissingParties returns the parties of want that the sorted list have lacks, in ascending order.
func MissingParties(have, want []Party) []Party {
	var missing []Party
	for _, party := range want {
		if !PartiesContain(have, party) {
			missing = append(missing, party)
		}
	}
	return SortedParties(missing)
}

// CommonParties returns the parties that are in both sorted lists.
func CommonParties(sorted, other []Party) []Party {
	var common []Party
	for _, party := range sorted {
		if PartiesContain(other, party) {
			common = append(common, party)
		}
	}
	return common
}

// PartiesOverlap reports whether two lists share a party.
func PartiesOverlap(sorted, other []Party) bool {
	return slices.ContainsFunc(other, func(party Party) bool { return PartiesContain(sorted, party) })
}

// Strings turns identifiers into plain strings, for databases and error texts.
func Strings[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// FromStrings is the inverse of [Strings].
func FromStrings[T ~string](values []string) []T {
	out := make([]T, len(values))
	for i, value := range values {
		out[i] = T(value)
	}
	return out
}

func formatOffset(offset Offset) string { return strconv.FormatInt(int64(offset), 10) }
