// Package mysql replaces the driver of MySQL, where Temporal's server can store. Florin's Temporal stores in PostgreSQL.
// This package registers no driver, so database/sql refuses to open such a database.
package mysql

import (
	"crypto/tls"
	"database/sql/driver"
	"errors"
)

var errLeftOut = errors.New("this build of Florin has no MySQL: run your own Temporal server to store there")

type MySQLDriver struct{}

func (MySQLDriver) Open(string) (driver.Conn, error) { return nil, errLeftOut }

func (MySQLDriver) OpenConnector(string) (driver.Connector, error) { return nil, errLeftOut }

// MySQLError exists because Temporal's server looks for it. No call returns one.
type MySQLError struct {
	Number  uint16
	Message string
}

func (e *MySQLError) Error() string { return e.Message }

type Config struct {
	User, Passwd, Net, Addr, DBName string
	Params                          map[string]string
	RejectReadOnly                  bool
}

func NewConfig() *Config { return &Config{} }

func (*Config) FormatDSN() string { return "" }

func RegisterTLSConfig(string, *tls.Config) error { return errLeftOut }
