package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/topology"
)

type txCommand struct {
	Show txShowCommand `cmd:"" help:"Show a prepared transaction and its hash, or the topology transactions of a new party."`
}

type txShowCommand struct {
	console.Output

	File   string `arg:"" default:"-" help:"Answer of a prepare or generate-topology call, or a prepared transaction in base64; - for standard input."`
	Scheme string `help:"Hashing scheme of a transaction in base64: v2 or v3." enum:"auto,v2,v3" default:"auto"`
}

// Run prints the transaction. After that it fails if the node stated another hash than the transaction has.
func (c *txShowCommand) Run() error { return c.show(os.Stdin, os.Stdout) }

func (c *txShowCommand) show(stdin io.Reader, stdout io.Writer) error {
	found, err := readSignable(c.File, c.Scheme, stdin)
	if err != nil {
		return err
	}
	shown := shownSignable{What: found.what, Text: found.text, Hash: hex.EncodeToString(found.message)}
	if len(found.stated) > 0 {
		shown.StatedHash = new(hex.EncodeToString(found.stated))
	}
	err = c.PrintTo(stdout, console.Answer{
		Data: shown, Text: strings.TrimSuffix(found.text, "\n"), Names: []string{shown.Hash},
	})
	if err != nil {
		return err
	}
	return found.checkStated()
}

// shownSignable is a signable in JSON.
type shownSignable struct {
	What string `json:"what"`
	Text string `json:"text"`
	// Hash is what the party signs, in hexadecimal.
	Hash string `json:"hash"`
	// StatedHash is the hash that the node states; nil if the input has none.
	StatedHash *string `json:"stated_hash"`
}

// signable is something that a party's key signs.
type signable struct {
	// what describes it in a few words.
	what string
	// text shows all of it.
	text string
	// message is the hash to sign, which this program computed.
	message []byte
	// stated is the hash that the node states; empty if the input has none.
	stated []byte
}

// maxSignable limits the bytes of the input.
const maxSignable = 64 << 20

// answer has the fields used of the answer of a prepare or generate-topology call.
type answer struct {
	PreparedTransaction     []byte          `json:"preparedTransaction"`
	PreparedTransactionHash []byte          `json:"preparedTransactionHash"`
	HashingSchemeVersion    prepared.Scheme `json:"hashingSchemeVersion"`
	TopologyTransactions    [][]byte        `json:"topologyTransactions"`
	MultiHash               []byte          `json:"multiHash"`
}

// readSignable reads a file, or standard input if the path is "-". The scheme argument overrides the input's scheme.
func readSignable(path, scheme string, stdin io.Reader) (signable, error) {
	content, err := readInput(path, stdin)
	if err != nil {
		return signable{}, err
	}
	var given answer
	if bytes.HasPrefix(content, []byte("{")) {
		if err := json.Unmarshal(content, &given); err != nil {
			return signable{}, fmt.Errorf("the input is not valid JSON: %w", err)
		}
	} else if given.PreparedTransaction, err = decodeBase64(content); err != nil {
		return signable{}, errors.New("the input is neither JSON nor base64: give the answer of a prepare or " +
			"generate-topology call, or a prepared transaction in base64")
	}
	switch {
	case len(given.TopologyTransactions) > 0:
		return topologySignable(given)
	case len(given.PreparedTransaction) > 0:
		return preparedSignable(given, scheme)
	default:
		return signable{}, errors.New("the input has neither preparedTransaction nor topologyTransactions")
	}
}

func readInput(path string, stdin io.Reader) ([]byte, error) {
	source := stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		source = file
	}
	content, err := io.ReadAll(io.LimitReader(source, maxSignable))
	return bytes.TrimSpace(content), err
}

func preparedSignable(given answer, scheme string) (signable, error) {
	transaction, err := prepared.Decode(given.PreparedTransaction)
	if err != nil {
		return signable{}, err
	}
	version, err := schemeFor(transaction, given.HashingSchemeVersion, scheme)
	if err != nil {
		return signable{}, err
	}
	text, err := transaction.Describe(version)
	if err != nil {
		return signable{}, err
	}
	hash, err := transaction.Hash(version)
	return signable{
		what: "prepared transaction " + transaction.Metadata().TransactionUUID, text: text, message: hash[:],
		stated: given.PreparedTransactionHash,
	}, err
}

// schemeFor chooses the scheme of the flag, or that of the input, or the first that covers all of the transaction.
func schemeFor(transaction *prepared.Transaction, named prepared.Scheme, flag string) (prepared.Scheme, error) {
	switch {
	case flag == "v2":
		return prepared.SchemeV2, nil
	case flag == "v3":
		return prepared.SchemeV3, nil
	case named != "":
		return named, nil
	}
	if _, err := transaction.Hash(prepared.SchemeV2); err == nil {
		return prepared.SchemeV2, nil
	}
	_, err := transaction.Hash(prepared.SchemeV3)
	return prepared.SchemeV3, err
}

func topologySignable(given answer) (signable, error) {
	var transactions []topology.Transaction
	var hashes []topology.Hash
	for i, raw := range given.TopologyTransactions {
		transaction, err := topology.Parse(raw)
		if err != nil {
			return signable{}, fmt.Errorf("topology transaction %d: %w", i+1, err)
		}
		transactions = append(transactions, transaction)
		hashes = append(hashes, transaction.Hash)
	}
	all := topology.MultiHash(hashes...)
	return signable{
		what: fmt.Sprintf("%d topology transactions", len(transactions)), text: topology.Describe(transactions...),
		message: all[:], stated: given.MultiHash,
	}, nil
}

// checkStated fails if the node states another hash than the computed one.
func (s signable) checkStated() error {
	if len(s.stated) == 0 || bytes.Equal(s.stated, s.message) {
		return nil
	}
	return fmt.Errorf("the node says that the hash is %s, but it is %s: do not sign the node's hash",
		hex.EncodeToString(s.stated), hex.EncodeToString(s.message))
}

// decodeBase64 reads standard base64, with or without padding and line breaks.
func decodeBase64(text []byte) ([]byte, error) {
	text = bytes.TrimRight(bytes.Join(bytes.Fields(text), nil), "=")
	return base64.RawStdEncoding.AppendDecode(nil, text)
}
