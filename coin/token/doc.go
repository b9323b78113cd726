// Package token holds the interfaces of the token standard (CIP-0056) that wallets read and use any token through, as
// the packages splice-api-token-… define them: the records, the views and the choices, without implementations.
//
// The package is pure.
package token
