package admin

import (
	"context"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// ParticipantIdentitiesResponse is the participant's identity (upstream's GET /v0/admin/participant/identities). It has
// no private keys: they are in the database and in its backups.
type ParticipantIdentitiesResponse struct {
	ID                      string           `json:"id" required:"true" doc:"The participant: hint::fingerprint"`
	Keys                    []ParticipantKey `json:"keys" required:"true" doc:"The participant's public keys"`
	AuthorizedStoreSnapshot endpoint.Bytes   `json:"authorizedStoreSnapshot" required:"true" doc:"The participant's topology"`
	Version                 *string          `json:"version" doc:"Always null: the format has one version"`
}

// ParticipantKey is a key of the participant.
type ParticipantKey struct {
	Type  string  `json:"type" required:"true" doc:"signing"`
	KeyID string  `json:"keyId" required:"true" doc:"The key's fingerprint"`
	Name  *string `json:"name" doc:"Purpose of the key"`
}

// GlobalDomainConnectionConfigResponse is the participant's connection to its synchronizer (upstream's GET
// /v0/admin/participant/global-domain-connection-config).
type GlobalDomainConnectionConfigResponse struct {
	SequencerConnections SequencerConnections `json:"sequencer_connections" required:"true" doc:"The connections"`
}

// SequencerConnections are the connections to a synchronizer.
type SequencerConnections struct {
	Connections          []SequencerConnection `json:"connections" required:"true" doc:"One: the node itself"`
	TrustThreshold       int32                 `json:"sequencer_trust_threshold" required:"true" doc:"Number of sequencers that must agree"`
	LivenessMargin       int32                 `json:"sequencer_liveness_margin" required:"true" doc:"Number of additional sequencers"`
	RequestAmplification RequestAmplification  `json:"submission_request_amplification" required:"true" doc:"Number of sequencers that get a request"`
}

// SequencerConnection is a connection to one sequencer.
type SequencerConnection struct {
	Alias             string   `json:"sequencer_alias" required:"true" doc:"Alias of the sequencer"`
	Endpoints         []string `json:"endpoints" required:"true" doc:"Empty: the sequencer runs in this process and has no address"`
	TransportSecurity bool     `json:"transport_security" required:"true" doc:"Whether the connection uses TLS"`
}

// RequestAmplification is the number of sequencers that get a request.
type RequestAmplification struct {
	Factor          int32 `json:"factor" required:"true" doc:"Number of sequencers"`
	PatienceSeconds int32 `json:"patience_seconds" required:"true" doc:"Seconds before the request goes to the next sequencer"`
}

func (a *API) participantIdentities(
	ctx context.Context, _ endpoint.NoRequest,
) (out ParticipantIdentitiesResponse, err error) {
	key, err := signing.PrivateKeyOf(signing.Curve25519, a.Node.PrivateKey)
	if err != nil {
		return out, fault.Internal(err)
	}
	public := key.Public()
	snapshot, err := topology.Encode(topology.NamespaceDelegation{
		Namespace: public.Fingerprint(), AllMappings: true,
		Target: signing.Key{Public: public, Usages: []signing.Usage{signing.UsageNamespace}},
	})
	if err != nil {
		return out, fault.Internal(err)
	}
	return ParticipantIdentitiesResponse{
		ID:                      a.Node.ParticipantID,
		Keys:                    []ParticipantKey{{Type: "signing", KeyID: public.Fingerprint(), Name: new("namespace")}},
		AuthorizedStoreSnapshot: snapshot,
	}, nil
}

func (a *API) connectionConfig(
	ctx context.Context, _ endpoint.NoRequest,
) (GlobalDomainConnectionConfigResponse, error) {
	alias, _, _ := strings.Cut(a.Node.SynchronizerID, "::")
	return GlobalDomainConnectionConfigResponse{SequencerConnections: SequencerConnections{
		Connections:    []SequencerConnection{{Alias: alias}},
		TrustThreshold: 1, RequestAmplification: RequestAmplification{Factor: 1},
	}}, nil
}
