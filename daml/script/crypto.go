package script

import (
	"bytes"
	"encoding/hex"
	"encoding/pem"
	"errors"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/signing"
)

var errPrivateKey = errors.New("the private key is not a secp256k1 key in DER, in hexadecimal")

// secp256k1KeyPair makes a key. It depends only on the seed.
func (q *question) secp256k1KeyPair() (engine.Value, error) {
	seed := q.draw()
	key, err := signing.PrivateKeyOf(signing.Secp256k1, seed[:])
	if err != nil {
		return nil, err
	}
	text, err := key.MarshalPEM()
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	return q.make.record(q.make.in(questionsRoot+"Crypto.Text", "Secp256k1KeyPair"), fieldValues{
		"privateKey": lf.Text(hex.EncodeToString(block.Bytes)),
		"publicKey":  lf.Text(hex.EncodeToString(key.Public().SPKI())),
	}), nil
}

// keyAndMessage reads the key and the message to sign.
func (q *question) keyAndMessage() (signing.PrivateKey, []byte, error) {
	der, err := hex.DecodeString(string(field[lf.Text](q.reader, q.payload, "privateKey")))
	if err != nil {
		return signing.PrivateKey{}, nil, errPrivateKey
	}
	key, err := signing.ParsePrivateKeyPEM(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil || key.Public().Spec() != signing.Secp256k1 {
		return signing.PrivateKey{}, nil, errPrivateKey
	}
	message, err := hex.DecodeString(string(field[lf.Text](q.reader, q.payload, "message")))
	return key, bytes.Clone(message), err
}

// secp256k1Sign signs the SHA-256 of a message.
func (q *question) secp256k1Sign() (engine.Value, error) {
	key, message, err := q.keyAndMessage()
	if err != nil {
		return nil, err
	}
	signed, err := key.Sign(message)
	return lf.Text(hex.EncodeToString(signed.Signature)), err
}

func (q *question) secp256k1SignDigest() (engine.Value, error) {
	key, message, err := q.keyAndMessage()
	if err != nil {
		return nil, err
	}
	signature, err := key.SignDigest(message)
	return lf.Text(hex.EncodeToString(signature)), err
}
