package auth

import "testing"

func FuzzKeySets(f *testing.F) {
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
