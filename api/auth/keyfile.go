package auth

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// keyFileCheck is the minimum time between two checks of a key file.
const keyFileCheck = 5 * time.Second

// FileKeys is the [KeySource] of a file: a JSON Web Key Set, or public keys and certificates in PEM. The file may
// change while the node runs; the old keys stay in use while the new file is unreadable. It is safe for concurrent use.
type FileKeys struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	keys    fileKeySet
	state   fileState
	checked time.Time
}

// fileKeySet has keys with ids, or the keys of a PEM file, which have none.
type fileKeySet struct {
	named   keySet
	unnamed jwt.VerificationKeySet
}

type fileState struct {
	modified time.Time
	size     int64
}

// OpenFileKeys reads the file. The error says what is wrong with it.
func OpenFileKeys(path string, now func() time.Time, log *slog.Logger) (*FileKeys, error) {
	keys, state, err := readKeyFile(path)
	if err != nil {
		return nil, err
	}
	return &FileKeys{path: path, now: now, log: log, keys: keys, state: state, checked: now()}, nil
}

// KeyFor implements [KeySource]. The keys of a PEM file have no ids, so the verifier tries each of them.
func (f *FileKeys) KeyFor(_ context.Context, keyID string) (any, error) {
	keys := f.current()
	if len(keys.unnamed.Keys) > 0 {
		return keys.unnamed, nil
	}
	if keyID == "" {
		return nil, errNoKeyID
	}
	if key, ok := keys.named[keyID]; ok {
		return key, nil
	}
	return nil, fmt.Errorf("%s has no key with the id %q", f.path, keyID)
}

func (f *FileKeys) current() fileKeySet {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now().Before(f.checked.Add(keyFileCheck)) {
		return f.keys
	}
	f.checked = f.now()
	if state, err := stateOf(f.path); err == nil && state == f.state {
		return f.keys
	}
	keys, state, err := readKeyFile(f.path)
	if err != nil {
		f.log.Error("the changed key file cannot be read; the old keys stay in use", "error", err)
		return f.keys
	}
	f.keys, f.state = keys, state
	f.log.Info("reloaded the token keys", "file", f.path)
	return f.keys
}

func stateOf(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return fileState{info.ModTime(), info.Size()}, nil
}

func readKeyFile(path string) (fileKeySet, fileState, error) {
	state, err := stateOf(path)
	if err != nil {
		return fileKeySet{}, state, fmt.Errorf("looking at the key file: %w", err)
	}
	if state.size > maxKeySetBytes {
		return fileKeySet{}, state, fmt.Errorf("the key file %s is larger than 512 KiB", path)
	}
	document, err := os.ReadFile(path)
	if err != nil {
		return fileKeySet{}, state, fmt.Errorf("reading the key file: %w", err)
	}
	var keys fileKeySet
	if bytes.HasPrefix(bytes.TrimSpace(document), []byte("{")) {
		keys.named, err = parseKeySet(document)
	} else {
		keys.unnamed, err = parsePEM(document)
	}
	if err != nil {
		return fileKeySet{}, state, fmt.Errorf("the key file %s: %w", path, err)
	}
	return keys, state, nil
}

func parsePEM(document []byte) (jwt.VerificationKeySet, error) {
	var keys jwt.VerificationKeySet
	for block, rest := pem.Decode(document); block != nil; block, rest = pem.Decode(rest) {
		key, err := parsePEMBlock(block)
		if err != nil {
			return keys, err
		}
		keys.Keys = append(keys.Keys, key)
	}
	if len(keys.Keys) == 0 {
		return keys, errors.New("it contains neither a JSON Web Key Set nor a public key or certificate in PEM")
	}
	return keys, nil
}

func parsePEMBlock(block *pem.Block) (jwt.VerificationKey, error) {
	var key any
	var err error
	switch block.Type {
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	case "CERTIFICATE":
		var certificate *x509.Certificate
		if certificate, err = x509.ParseCertificate(block.Bytes); err == nil {
			key = certificate.PublicKey
		}
	default:
		return nil, fmt.Errorf("the block %q is neither a PUBLIC KEY nor a CERTIFICATE", block.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("the block %q: %w", block.Type, err)
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		return key, checkRSA(key.N, int64(key.E))
	case *ecdsa.PublicKey:
		return key, checkCurve(key.Curve)
	case ed25519.PublicKey:
		return key, nil
	default:
		return nil, fmt.Errorf("the block %q has a key of type %T: RSA, ECDSA and Ed25519 keys can be used", block.Type, key)
	}
}
