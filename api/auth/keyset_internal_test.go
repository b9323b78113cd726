package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"testing"
)

func FuzzKeySets_GiveKeysOrAnError(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"keys":null}`, `{"keys":[{"kid":"a","kty":"RSA","n":"AQAB","e":"AQAB"}]}`,
		`{"keys":[{"kid":"a","kty":"EC","crv":"P-256","x":"AA","y":"AA"},7,null]}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		keys, err := parseKeySet(document)
		if (err == nil) == (len(keys) == 0) {
			t.Fatalf("%d keys with the error %v", len(keys), err)
		}
	})
}

// FuzzKeyFiles_GiveKeysOrAnError reads anything as a key file: the result is keys of known kinds, or an error.
func FuzzKeyFiles_GiveKeysOrAnError(f *testing.F) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		f.Fatal(err)
	}
	good := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	for _, seed := range []string{
		"", good, good + good, good[:len(good)-30], "text before\n" + good, good + "-----BEGIN PRIVATE KEY-----\n",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
		"-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END PUBLIC KEY-----\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		keys, err := parsePEM(document)
		if err == nil && len(keys.Keys) == 0 {
			t.Fatal("neither keys nor an error")
		}
		for _, key := range keys.Keys {
			switch key.(type) {
			case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey:
			default:
				t.Fatalf("a key of type %T", key)
			}
		}
	})
}
