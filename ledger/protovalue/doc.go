// Package protovalue converts values between the contract language and the protobuf messages of the ledger API.
package protovalue
