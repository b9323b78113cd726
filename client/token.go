package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

// Token makes a development token as LocalNet's tools do: signed with HS256 and the shared secret, for one audience and
// one user, without expiry.
func Token(secret, audience, user string) string {
	encode := base64.RawURLEncoding.EncodeToString
	// Marshalling a map of strings cannot fail.
	claims, _ := json.Marshal(map[string]string{"sub": user, "aud": audience})
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(claims)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}
