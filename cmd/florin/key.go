package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/florinledger/florin/ledger/signing"
)

type keyCommand struct {
	New         keyNewCommand         `cmd:"" help:"Create a private key in a file."`
	Public      keyPublicCommand      `cmd:"" help:"Print the public key in the form of the API."`
	Fingerprint keyFingerprintCommand `cmd:"" help:"Print the fingerprint of a key: the second half of its party's id."`
	Sign        keySignCommand        `cmd:"" help:"Sign a prepared transaction or the topology transactions of a new party."`
}

type keyNewCommand struct {
	File  string `arg:"" help:"File to write; it must not exist."`
	Curve string `help:"ed25519, p256, p384 or secp256k1." enum:"ed25519,p256,p384,secp256k1" default:"ed25519"`
}

// Run creates the key and prints its public part.
func (c *keyNewCommand) Run() error { return c.make(rand.Reader, os.Stdout) }

func (c *keyNewCommand) make(random io.Reader, stdout io.Writer) error {
	spec := map[string]signing.KeySpec{
		"ed25519": signing.Curve25519, "p256": signing.P256, "p384": signing.P384, "secp256k1": signing.Secp256k1,
	}[c.Curve]
	key, err := signing.NewPrivateKey(spec, random)
	if err != nil {
		return err
	}
	text, err := key.MarshalPEM()
	if err != nil {
		return err
	}
	if err := writeSecret(c.File, text); err != nil {
		return err
	}
	public, err := json.Marshal(key.Public())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "Private key  %s (keep it secret; nobody can restore it)\nFingerprint  %s\n"+
		"Public key   %s\n", c.File, key.Public().Fingerprint(), public)
	return err
}

// writeSecret writes a file that only its owner can read. It overwrites nothing.
func writeSecret(path string, content []byte) error {
	const ownerOnly = 0o600
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already: choose another file, because an overwritten key is lost", path)
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

type keyPublicCommand struct {
	Hex  bool   `help:"Print the 32 bytes of an Ed25519 key in hexadecimal, as the validator's API wants it."`
	File string `arg:"" help:"PEM file of a private or public key, or a public key in base64; - for standard input."`
}

// Run prints the public key in the form of the field publicKey of generate-topology.
func (c *keyPublicCommand) Run() error { return c.print(os.Stdin, os.Stdout) }

func (c *keyPublicCommand) print(stdin io.Reader, stdout io.Writer) error {
	key, err := readPublicKey(c.File, stdin)
	if err != nil {
		return err
	}
	if c.Hex {
		return printRaw(key, stdout)
	}
	encoded, err := json.Marshal(key)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, string(encoded))
	return err
}

func printRaw(key signing.PublicKey, stdout io.Writer) error {
	if key.Spec() != signing.Curve25519 {
		return fmt.Errorf("the key is on %s: only Ed25519 keys have a raw form", key.Spec())
	}
	info := key.SPKI()
	_, err := fmt.Fprintf(stdout, "%x\n", info[len(info)-ed25519.PublicKeySize:])
	return err
}

type keyFingerprintCommand struct {
	File string `arg:"" help:"PEM file of a private or public key, or a public key in base64; - for standard input."`
}

// Run prints the fingerprint.
func (c *keyFingerprintCommand) Run() error { return c.print(os.Stdin, os.Stdout) }

func (c *keyFingerprintCommand) print(stdin io.Reader, stdout io.Writer) error {
	key, err := readPublicKey(c.File, stdin)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, key.Fingerprint())
	return err
}

// readPublicKey reads a PEM file of either half of a key, or a public key in base64: SubjectPublicKeyInfo, or the
// 32 raw bytes of an Ed25519 key.
func readPublicKey(path string, stdin io.Reader) (signing.PublicKey, error) {
	content, err := readInput(path, stdin)
	if err != nil {
		return signing.PublicKey{}, err
	}
	if bytes.Contains(content, []byte("-----BEGIN PUBLIC KEY-----")) {
		return signing.ParsePublicKeyPEM(content)
	}
	if bytes.Contains(content, []byte("-----BEGIN")) {
		key, err := signing.ParsePrivateKeyPEM(content)
		return key.Public(), err
	}
	raw, err := decodeBase64(content)
	if err != nil {
		return signing.PublicKey{}, errors.New("the input is neither a PEM file nor base64")
	}
	if len(raw) == ed25519.PublicKeySize {
		return signing.FromEd25519(raw)
	}
	return signing.ParseSPKI(raw)
}

type keySignCommand struct {
	Key    string `arg:"" help:"PEM file of the private key."`
	File   string `arg:"" default:"-" help:"Answer of a prepare or generate-topology call, or a prepared transaction in base64; - for standard input."`
	Scheme string `help:"Hashing scheme of a transaction in base64: v2 or v3." enum:"auto,v2,v3" default:"auto"`
	Hex    bool   `help:"Print only the bytes of the signature, in hexadecimal, as the validator's API wants them."`
	Hash   string `help:"Sign this hash (base64 or hexadecimal) instead of a file. Florin cannot check the transaction behind it."`
}

// Run prints the signature in the form of the API. It computes the hash from the transaction itself: a node that states
// another hash gets no signature.
func (c *keySignCommand) Run() error { return c.sign(os.Stdin, os.Stdout, os.Stderr) }

func (c *keySignCommand) sign(stdin io.Reader, stdout, stderr io.Writer) error {
	text, err := os.ReadFile(c.Key)
	if err != nil {
		return err
	}
	key, err := signing.ParsePrivateKeyPEM(text)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Key, err)
	}
	found, err := c.signable(stdin)
	if err != nil {
		return err
	}
	if err := found.checkStated(); err != nil {
		return err
	}
	signature, err := key.Sign(found.message)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(signature)
	if err != nil {
		return err
	}
	if c.Hex {
		encoded = []byte(hex.EncodeToString(signature.Signature))
	}
	if _, err := fmt.Fprintf(stderr, "signed %s, hash %x\n", found.what, found.message); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, string(encoded))
	return err
}

func (c *keySignCommand) signable(stdin io.Reader) (signable, error) {
	if c.Hash == "" {
		return readSignable(c.File, c.Scheme, stdin)
	}
	message, err := hex.DecodeString(c.Hash)
	if err != nil {
		message, err = decodeBase64([]byte(c.Hash))
	}
	// The hash of a prepared transaction has 32 bytes; the hash of topology transactions has a prefix of 2 bytes.
	const plain, prefixed = 32, 34
	if err != nil || len(message) != plain && len(message) != prefixed {
		return signable{}, fmt.Errorf("%q is not a hash of %d or %d bytes in base64 or hexadecimal", c.Hash, plain, prefixed)
	}
	return signable{what: "a hash without its transaction", message: message}, nil
}
