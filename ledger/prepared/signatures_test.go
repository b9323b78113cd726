package prepared_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/signing"
)

// signer is a key and the use of it.
func signer(t require.TestingT, seed byte, spec signing.KeySpec) signing.PrivateKey {
	key, err := signing.NewPrivateKey(spec, rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return key
}

func sign(t require.TestingT, key signing.PrivateKey, message []byte) signing.Signature {
	signature, err := key.Sign(message)
	require.NoError(t, err)
	return signature
}

func TestCheckSignatures_RequiresThresholdOfEachActingParty(t *testing.T) {
	t.Parallel()
	hash := [32]byte{1, 2, 3}
	first, second := signer(t, 1, signing.Curve25519), signer(t, 2, signing.Secp256k1)
	namespaceOnly, stranger := signer(t, 3, signing.P256), signer(t, 4, signing.P384)
	protocol := []signing.Usage{signing.UsageProtocol, signing.UsageProofOfOwnership}
	keys := map[ledger.Party]prepared.PartyKeys{
		alice: {Threshold: 2, Keys: []signing.Key{
			{Public: first.Public(), Usages: protocol},
			{Public: second.Public()},
			{Public: namespaceOnly.Public(), Usages: []signing.Usage{signing.UsageNamespace}},
		}},
		bob: {Threshold: 1, Keys: []signing.Key{{Public: stranger.Public(), Usages: protocol}}},
	}
	by := func(party ledger.Party, signatures ...signing.Signature) prepared.PartySignatures {
		return prepared.PartySignatures{Party: party, Signatures: signatures}
	}
	one, two := sign(t, first, hash[:]), sign(t, second, hash[:])
	other := [32]byte{9}
	otherFormat := one
	otherFormat.Format = signing.FormatDER
	legacy := two
	legacy.Format = signing.FormatRaw

	for name, given := range map[string][]prepared.PartySignatures{
		"both keys":                          {by(alice, one, two)},
		"in two entries":                     {by(alice, one), by(alice, two)},
		"beside a party that does not act":   {by(carol, sign(t, stranger, other[:])), by(alice, two, one)},
		"in the format of older clients":     {by(alice, one, legacy)},
		"beside a party that need not do so": {by(alice, one, two), by(bob, sign(t, stranger, hash[:]))},
		"with a party without signatures":    {by(alice, one, two), by(bob)},
	} {
		require.Nil(t, prepared.CheckSignatures(hash, []ledger.Party{alice}, given, keys), name)
	}
	for _, c := range []struct {
		name  string
		actAs []ledger.Party
		given []prepared.PartySignatures
		want  string
	}{
		{"nobody signed", []ledger.Party{alice}, nil, "did not provide an external signature: alice::1220aa"},
		{
			"one of two parties signed",
			[]ledger.Party{alice, bob},
			[]prepared.PartySignatures{by(alice, one, two)},
			"did not provide an external signature: bob::1220bb",
		},
		{
			"a party of the node",
			[]ledger.Party{carol},
			[]prepared.PartySignatures{by(carol, one)},
			"Could not find party signing keys for carol::1220cc",
		},
		{"below the threshold", []ledger.Party{alice}, []prepared.PartySignatures{by(alice, one)}, "Received 1 valid " +
			"signatures from distinct keys (0 invalid), but expected at least 2 valid for alice::1220aa. Transaction hash " +
			"to be signed: 12200102030000"},
		{
			"one key twice",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, one, one)},
			"Received 1 valid signatures from distinct keys (0 invalid)",
		},
		{
			"more than there are keys",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, one, two, two)},
			"3 external signatures were provided, which is more " +
				"than the number of registered signing keys (2)",
		},
		{
			"another hash",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, one, sign(t, second, other[:]))},
			"(1 invalid)",
		},
		{
			"a key for other things",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, one, sign(t, namespaceOnly, hash[:]))},
			"(1 invalid)",
		},
		{
			"a stranger's key",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, one, sign(t, stranger, hash[:]))},
			"(1 invalid)",
		},
		{
			"a format that the key has not",
			[]ledger.Party{alice},
			[]prepared.PartySignatures{by(alice, otherFormat, two)},
			"(1 invalid)",
		},
		{
			"another party's signature",
			[]ledger.Party{bob},
			[]prepared.PartySignatures{by(bob, one)},
			"Received 0 valid signatures from distinct keys (1 invalid)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refusal := prepared.CheckSignatures(hash, c.actAs, c.given, keys)
			require.NotNil(t, refusal)
			require.Equal(t, fault.FailedToExecuteTransaction.ID, refusal.Code)
			require.ErrorContains(t, refusal, c.want)
		})
	}
	refusal := prepared.CheckSignatures(hash, []ledger.Party{alice},
		[]prepared.PartySignatures{by(alice, sign(t, stranger, hash[:]), two)}, keys)
	require.NotNil(t, refusal, "one of two keys is not enough")
	require.Contains(t, refusal.Context["invalid_signatures"], "is not a key of the party with protocol usage")
}

func TestSignatures_RefuseMalformedOnes(t *testing.T) {
	t.Parallel()
	good := sign(t, signer(t, 1, signing.Curve25519), []byte("m"))
	bad := good
	bad.Format = ""
	for want, given := range map[string]prepared.PartySignatures{
		"Invalid field party_signatures.party: Daml-LF Party is empty": {Signatures: []signing.Signature{good}},
		`Invalid field party_signatures.party: "alice" is not a party id`: {
			Party: "alice", Signatures: []signing.Signature{good},
		},
		`Invalid field party_signatures.party: "alice::" is not a party id`: {
			Party: "alice::", Signatures: []signing.Signature{good},
		},
		"Invalid field party_signatures.party: fingerprint of 69 characters": {
			Party: ledger.Party("alice::" + strings.Repeat("a", 69)), Signatures: []signing.Signature{good},
		},
		"Signature format must be specified": {
			Party: alice, Signatures: []signing.Signature{good, bad},
		},
	} {
		refusal := prepared.CheckPartySignatures([]prepared.PartySignatures{given})
		require.Equal(t, fault.InvalidField.ID, refusal.Code)
		require.ErrorContains(t, refusal, want)
	}
	require.Nil(t, prepared.CheckPartySignatures([]prepared.PartySignatures{{Party: alice}}))
}

func TestSignatures_RefuseTooMany(t *testing.T) {
	t.Parallel()
	fifty := make([]signing.Signature, 50)
	entry := prepared.PartySignatures{Party: alice, Signatures: fifty}
	require.Nil(t, prepared.CheckSignatureCount([]prepared.PartySignatures{entry, {Party: bob, Signatures: fifty}}))
	one := prepared.PartySignatures{Party: alice, Signatures: fifty[:1]}
	refusal := prepared.CheckSignatureCount([]prepared.PartySignatures{entry, one})
	require.ErrorContains(t, refusal, "more than the maximum number of signatures allowed (50)")
}

func TestScheme_ChecksProtocolVersions(t *testing.T) {
	t.Parallel()
	require.Nil(t, prepared.SchemeV2.Check())
	refusal := prepared.SchemeUnspecified.Check()
	require.ErrorContains(t, refusal, "Invalid field hashing_scheme_version: Unspecified version")
	require.NoError(t, prepared.SchemeV2.CheckProtocol(34))
	require.NoError(t, prepared.SchemeV3.CheckProtocol(35))
	require.ErrorContains(t, prepared.SchemeV3.CheckProtocol(34),
		"Hashing scheme version V3 is not supported on protocol version 34")
	l, command := settlement(t)
	_, err := prepare(t, l, command, alice).Hash(prepared.SchemeUnspecified)
	require.ErrorContains(t, err, "the version is unknown; use V2 or V3")
}
