package external

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// GenerateExternalPartyTopologyRequest asks for the topology transactions that create an external party (contract,
// /v0/admin/external-party/topology/generate).
type GenerateExternalPartyTopologyRequest struct {
	endpoint.Strict

	PartyHint string `json:"party_hint" required:"true" doc:"First part of the party's id"`
	PublicKey string `json:"public_key" required:"true" doc:"The party's Ed25519 key, 32 bytes in hexadecimal"`
}

// GenerateExternalPartyTopologyResponse has the transactions to sign.
type GenerateExternalPartyTopologyResponse struct {
	PartyID     ledger.Party `json:"party_id" required:"true" doc:"Id of the new party"`
	TopologyTxs []TopologyTx `json:"topology_txs" required:"true" doc:"Sign each of them"`
}

// TopologyTx is a topology transaction and its hash to sign.
type TopologyTx struct {
	TopologyTx endpoint.Bytes `json:"topology_tx" required:"true" doc:"The transaction; send it back with the signature"`
	Hash       string         `json:"hash" required:"true" doc:"34 bytes in hexadecimal; sign all of them"`
}

// SubmitExternalPartyTopologyRequest creates an external party (contract, /v0/admin/external-party/topology/submit).
type SubmitExternalPartyTopologyRequest struct {
	endpoint.Strict

	PublicKey         string             `json:"public_key" required:"true" doc:"The key that has signed, in hexadecimal"`
	SignedTopologyTxs []SignedTopologyTx `json:"signed_topology_txs" required:"true" doc:"All generated transactions"`
}

// SignedTopologyTx is a topology transaction and its signature.
type SignedTopologyTx struct {
	endpoint.Strict

	TopologyTx endpoint.Bytes `json:"topology_tx" required:"true" doc:"The generated transaction, unchanged"`
	SignedHash string         `json:"signed_hash" required:"true" doc:"The signature, 64 bytes in hexadecimal"`
}

// SubmitExternalPartyTopologyResponse names the party.
type SubmitExternalPartyTopologyResponse struct {
	PartyID ledger.Party `json:"party_id" required:"true" doc:"The party, ready to be used"`
}

type generateTopologyRequest struct {
	Body GenerateExternalPartyTopologyRequest `body:"json"`
}

type submitTopologyRequest struct {
	Body SubmitExternalPartyTopologyRequest `body:"json"`
}

// publicKeyOf decodes the key of an external party.
func publicKeyOf(text string) (signing.PublicKey, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return signing.PublicKey{}, v0.BadRequest("Could not decode public key %s as a hex string", text)
	}
	key, err := signing.FromEd25519(ed25519.PublicKey(raw))
	if err != nil {
		return signing.PublicKey{}, v0.BadRequest("Failed to decode public key: %s", err)
	}
	return key, nil
}

// signatureBy decodes a signature in hexadecimal; false if it is not hexadecimal.
func signatureBy(key signing.PublicKey, text string) (signing.Signature, bool) {
	raw, err := hex.DecodeString(text)
	return signing.Signature{
		Format: signing.FormatConcat, Signature: raw, SignedBy: key.Fingerprint(), Algorithm: signing.Ed25519,
	}, err == nil && len(raw) > 0
}

func (a *API) topologyNode() topology.Node {
	return topology.Node{ParticipantID: a.Node.ParticipantID, SynchronizerID: a.Node.SynchronizerID}
}

func (a *API) generateTopology(
	ctx context.Context, req generateTopologyRequest,
) (out GenerateExternalPartyTopologyResponse, err error) {
	key, err := publicKeyOf(req.Body.PublicKey)
	if err != nil {
		return out, err
	}
	if err := ledger.CheckPartyHint(req.Body.PartyHint); err != nil {
		return out, v0.BadRequest("%s", err)
	}
	out.PartyID = ledger.Party(req.Body.PartyHint + "::" + key.Fingerprint())
	if err := validator.CheckPartyID(string(out.PartyID)); err != nil {
		return out, v0.BadRequest("%s", err)
	}
	transactions, err := topology.SingleKeyParty(out.PartyID, key, a.topologyNode())
	if err != nil {
		return out, fault.Internal(err)
	}
	for _, raw := range transactions {
		hash := topology.HashOf(raw)
		out.TopologyTxs = append(out.TopologyTxs, TopologyTx{TopologyTx: raw, Hash: hex.EncodeToString(hash[:])})
	}
	return out, nil
}

// submitTopology onboards the party as the JSON Ledger API does, and waits. For an existing party it returns the same
// answer again. On success it gives the operator's ledger user the right to act as the party; if that user can get no
// more rights, it returns the error before it creates the party.
func (a *API) submitTopology(
	ctx context.Context, req submitTopologyRequest,
) (out SubmitExternalPartyTopologyResponse, err error) {
	contribution, onboarding, err := a.buildContribution(ctx, req.Body)
	if err != nil {
		return out, err
	}
	out.PartyID = onboarding.Party()
	if err := a.CheckOperatorCanGet(ctx, out.PartyID); err != nil {
		return out, err
	}
	validator.TellWorkflow(ctx, a.onboarder.OnboardingOf(out.PartyID))
	_, allocated, err := a.record.ExternalParty(ctx, out.PartyID)
	if err != nil {
		return out, err
	}
	if !allocated {
		if err := a.onboard(ctx, onboarding, contribution); err != nil {
			return out, err
		}
	}
	return out, a.GiveOperator(context.WithoutCancel(ctx), out.PartyID)
}

func (a *API) onboard(
	ctx context.Context, onboarding topology.Onboarding, contribution topology.Contribution,
) error {
	outcome, err := endpoint.OnboardInTurn(ctx, func() (topology.Outcome, error) {
		return a.onboarder.Onboard(ctx, onboarding.Party(), contribution, true)
	})
	if err == nil {
		err = outcome.Err()
	}
	if _, allocated, failure := a.record.ExternalParty(ctx, onboarding.Party()); failure == nil && allocated {
		return nil // by this contribution or an earlier one
	}
	if err != nil {
		return err
	}
	return v0.BadRequest("Party %s is not ready: %s", onboarding.Party(), strings.Join(outcome.Missing.Describe(), ", "))
}

// buildContribution decodes and checks the request.
func (a *API) buildContribution(
	ctx context.Context, body SubmitExternalPartyTopologyRequest,
) (contribution topology.Contribution, onboarding topology.Onboarding, err error) {
	key, err := publicKeyOf(body.PublicKey)
	if err != nil {
		return contribution, onboarding, err
	}
	contribution = topology.Contribution{
		ID: uuid.NewString(), UserID: a.LedgerUser, UserMayMiss: true, Unbound: true,
		Origin: endpoint.Origin(ctx), Trace: endpoint.Trace(ctx),
	}
	if _, known := endpoint.Claims(ctx).User(); known {
		contribution.AskedBy = new(endpoint.Claims(ctx).Identity())
	}
	for _, tx := range body.SignedTopologyTxs {
		signature, ok := signatureBy(key, tx.SignedHash)
		if !ok {
			return contribution, onboarding, v0.BadRequest("Failed to decode hex-encoded tx signature: %s", tx.SignedHash)
		}
		contribution.Transactions = append(contribution.Transactions, topology.OnboardingTransaction{
			Transaction: tx.TopologyTx, Signatures: []signing.Signature{signature},
		})
	}
	hosted, refusal := hostsParty(contribution.Transactions)
	if refusal != nil {
		return contribution, onboarding, refusal
	}
	if !hosted {
		return contribution, onboarding, v0.BadRequest(
			"Failed to determine party id from PartyToParticipant transaction: none is among the signed_topology_txs.")
	}
	onboarding, refused := contribution.Onboarding(a.topologyNode())
	if refused != nil {
		return contribution, onboarding, v0.BadRequest("failed to construct topology transaction: %s", refused)
	}
	known, err := a.record.Namespaces(ctx, onboarding.Concerned()...)
	if err != nil {
		return contribution, onboarding, err
	}
	onboarding, conflict := onboarding.With(known)
	if _, err := onboarding.Authorize(a.topologyNode()); err != nil {
		return contribution, onboarding, err
	}
	return contribution, onboarding, conflict
}

// hostsParty reports whether one of the transactions hosts the party.
func hostsParty(transactions []topology.OnboardingTransaction) (hosts bool, err error) {
	for _, transaction := range transactions {
		read, err := topology.Parse(transaction.Transaction)
		if err != nil {
			return false, v0.BadRequest("failed to construct topology transaction: %s", err)
		}
		if _, ok := read.Mapping.(topology.PartyToParticipant); ok {
			hosts = true
		}
	}
	return hosts, nil
}
