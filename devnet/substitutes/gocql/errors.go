package gocql

import "errors"

// Temporal's server looks for these errors. No call returns one.
var (
	ErrConnectionClosed  = errors.New("connection closed waiting for response")
	ErrNoConnections     = errors.New("no hosts available in the pool")
	ErrNotFound          = errors.New("not found")
	ErrSessionClosed     = errors.New("session has been closed")
	ErrTimeoutNoResponse = errors.New("no response received from cassandra within timeout period")
)

const (
	ErrCodeOverloaded = 0x1001
	ErrCodeInvalid    = 0x2200
)

type RequestError interface {
	error
	Code() int
	Message() string
}

type RequestErrWriteTimeout struct {
	RequestError
}
