// Package pq replaces the second of two drivers for PostgreSQL that Temporal's server knows. Florin uses the first one,
// pgx. This package registers no driver, so database/sql refuses to open such a database.
package pq

import (
	"database/sql/driver"
	"errors"
)

var errLeftOut = errors.New("this build of Florin has no lib/pq: use the plugin postgres12_pgx for PostgreSQL")

type Driver struct{}

func (Driver) Open(string) (driver.Conn, error) { return nil, errLeftOut }

func NewConnector(string) (driver.Connector, error) { return nil, errLeftOut }

// Error exists because Temporal's server looks for it. No call returns one.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }
