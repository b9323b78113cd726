package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Node is the identity of this installation: made once at bootstrap, kept in the record, shared by all processes that
// work on one database.
type Node struct {
	// ParticipantID is hint::fingerprint of the participant.
	ParticipantID string
	// SynchronizerID is alias::fingerprint of the one synchronizer that the node is.
	SynchronizerID string
	// Namespace is the fingerprint of the node's key, the second part of every local party id.
	Namespace string
	// DSO is the party that administers the coin.
	DSO Party
	// Operator is the validator operator's party.
	Operator Party
	// OperatorUser is the operator's wallet user.
	OperatorUser string
	// PrivateKey is the node's Ed25519 seed (32 bytes). Never log or send it.
	PrivateKey []byte `json:"-"`
}

// LocalParty is the id of a party with the hint in the node's own namespace.
func (n Node) LocalParty(hint string) Party { return Party(hint + "::" + n.Namespace) }

// Digest is the digest of a secret, so that the processes of a node can compare their secrets without storing them.
func (n Node) Digest(secret string) string {
	mac := hmac.New(sha256.New, n.PrivateKey)
	mac.Write([]byte("auth-secret:" + secret))
	return hex.EncodeToString(mac.Sum(nil))
}
