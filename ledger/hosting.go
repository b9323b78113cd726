package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Hosting says that a participant began to host a party: the content of a topology transaction.
type Hosting struct {
	Party         Party             `json:"party"`
	ParticipantID string            `json:"participantId"`
	Permission    HostingPermission `json:"permission"`
}

// HostingPermission is what the participant may do for the party.
type HostingPermission string

// The permissions.
const (
	// MaySubmit is for parties in the node's own namespace.
	MaySubmit HostingPermission = "submission"
	// MayConfirm is for parties that sign their submissions elsewhere.
	MayConfirm HostingPermission = "confirmation"
	// MayObserve is for parties that others confirm for.
	MayObserve HostingPermission = "observation"
)

// MaySubmitFor reports whether the node authorizes submissions of a party: one of its own namespace, or the DSO. All
// others are external and sign with their own keys.
func (n Node) MaySubmitFor(party Party) bool {
	return party == n.DSO || n.PermissionFor(party) == MaySubmit
}

// PermissionFor is what the node may do for a party that it hosts.
func (n Node) PermissionFor(party Party) HostingPermission {
	if strings.HasSuffix(string(party), "::"+n.Namespace) {
		return MaySubmit
	}
	return MayConfirm
}

// NewHosting is the topology transaction at a position of the record by which the node begins to host a party.
func NewHosting(node Node, party Party, at Position, trace TraceContext) Update {
	return NewHostings(node, party, []Hosting{{
		Party: party, ParticipantID: node.ParticipantID, Permission: node.PermissionFor(party),
	}}, at, trace)
}

// NewHostings is the topology transaction by which several participants, this node among them, begin to host a party.
func NewHostings(node Node, party Party, hostings []Hosting, at Position, trace TraceContext) Update {
	hash := sha256.New()
	hash.Write([]byte("florin topology\x00"))
	writeText(hash, node.ParticipantID)
	writeText(hash, string(party))
	writeText(hash, formatOffset(at.Offset))
	return Update{
		Offset: at.Offset, ID: UpdateID("1220" + hex.EncodeToString(hash.Sum(nil))), RecordTime: at.RecordTime,
		EffectiveAt: at.RecordTime, Trace: trace, Topology: hostings,
	}
}
