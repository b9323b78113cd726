package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// version is the version of the canonical form and of the code. It is part of every seal.
const version = "1"

// SecretBytes is the length of the secret of a key.
const SecretBytes = 32

// Purpose is the kind of the sealed value. A seal for one purpose is not valid for another.
type Purpose string

// The purposes.
const (
	Submission   Purpose = "submission"
	Contribution Purpose = "contribution"
)

// Page is a purpose of [Keys.Secret] only: the secret encrypts the cookies of the node's pages.
const Page Purpose = "page"

// Purposes lists all purposes of seals.
func Purposes() []Purpose { return []Purpose{Submission, Contribution} }

// The reasons why a seal is not valid.
var (
	// ErrMissing: there is no seal.
	ErrMissing = errors.New("it has no seal")
	// ErrUnknownKey: its key is not known, or it has another form.
	ErrUnknownKey = errors.New("its seal was made with an unknown key")
	// ErrBroken: the value was changed, or the seal was made without the key.
	ErrBroken = errors.New("its seal does not match its content")
)

// Key is a key of a ledger.
type Key struct {
	ID int32
	// Secret are SecretBytes random bytes.
	Secret []byte
}

// Keys holds a ledger's seal keys. The newest makes seals; every key can verify them. It is safe for concurrent use.
type Keys struct {
	newest string
	// secrets by key id and purpose, derived from the secret of the key.
	secrets map[string]map[Purpose][]byte
}

// NewKeys takes the keys of a ledger, at least one.
func NewKeys(keys ...Key) (*Keys, error) {
	k := &Keys{secrets: make(map[string]map[Purpose][]byte, len(keys))}
	newest := int32(0)
	for _, key := range keys {
		if key.ID <= 0 || len(key.Secret) != SecretBytes {
			return nil, fmt.Errorf("seal key %d has %d bytes instead of %d", key.ID, len(key.Secret), SecretBytes)
		}
		id := strconv.Itoa(int(key.ID))
		k.secrets[id] = map[Purpose][]byte{}
		for _, purpose := range append(Purposes(), Page) {
			secret, err := hkdf.Expand(sha256.New, key.Secret, "florin/seal/"+version+"/"+string(purpose), sha256.Size)
			if err != nil {
				return nil, fmt.Errorf("derive a seal key: %w", err)
			}
			k.secrets[id][purpose] = secret
		}
		if key.ID > newest {
			newest, k.newest = key.ID, id
		}
	}
	if newest == 0 {
		return nil, errors.New("there is no seal key")
	}
	return k, nil
}

// Of makes the seal of a value: VERSION.KEY.CODE. It does not cover fields with the tag seal:"-". The error says that
// the type of the value has no canonical form.
func (k *Keys) Of(purpose Purpose, value any) (string, error) {
	code, err := k.code(k.newest, purpose, value)
	if err != nil {
		return "", err
	}
	return strings.Join([]string{version, k.newest, base64.RawURLEncoding.EncodeToString(code)}, "."), nil
}

// Check returns nil for the seal of the value, else [ErrMissing], [ErrUnknownKey] or [ErrBroken].
func (k *Keys) Check(purpose Purpose, value any, seal string) error {
	if seal == "" {
		return ErrMissing
	}
	form, rest, _ := strings.Cut(seal, ".")
	id, text, _ := strings.Cut(rest, ".")
	if _, known := k.secrets[id]; !known || form != version {
		return ErrUnknownKey
	}
	given, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ErrBroken
	}
	code, err := k.code(id, purpose, value)
	if err != nil {
		return err
	}
	if !hmac.Equal(given, code) {
		return ErrBroken
	}
	return nil
}

// Secret is the newest key's secret for a purpose: for encryption instead of seals.
func (k *Keys) Secret(purpose Purpose) []byte { return bytes.Clone(k.secrets[k.newest][purpose]) }

func (k *Keys) code(id string, purpose Purpose, value any) ([]byte, error) {
	secret, ok := k.secrets[id][purpose]
	if !ok {
		return nil, fmt.Errorf("no seal has the purpose %q", purpose)
	}
	text, err := canonical(value)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil), nil
}
