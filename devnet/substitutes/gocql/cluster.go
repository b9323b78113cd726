package gocql

import (
	"crypto/tls"
	"net"
	"time"
)

type ClusterConfig struct {
	AddressTranslator            AddressTranslator
	Authenticator                PasswordAuthenticator
	Consistency                  Consistency
	DisableInitialHostLookup     bool
	HostFilter                   HostFilter
	Keyspace                     string
	NumConns, Port, ProtoVersion int
	PoolConfig                   PoolConfig
	ReconnectionPolicy           *ExponentialReconnectionPolicy
	SerialConsistency            SerialConsistency
	SslOpts                      *SslOptions
	ConnectTimeout, Timeout      time.Duration
	WriteTimeout                 time.Duration
}

func NewCluster(...string) *ClusterConfig { return &ClusterConfig{} }

func (*ClusterConfig) CreateSession() (*Session, error) { return nil, errLeftOut }

type PasswordAuthenticator struct {
	Username, Password    string
	AllowedAuthenticators []string
}

type SslOptions struct {
	*tls.Config

	CaPath                 string
	EnableHostVerification bool
}

type ExponentialReconnectionPolicy struct {
	MaxRetries                   int
	InitialInterval, MaxInterval time.Duration
}

type PoolConfig struct {
	HostSelectionPolicy HostSelectionPolicy
}

type HostSelectionPolicy struct{}

func RoundRobinHostPolicy() HostSelectionPolicy { return HostSelectionPolicy{} }

func TokenAwareHostPolicy(HostSelectionPolicy) HostSelectionPolicy { return HostSelectionPolicy{} }

type HostFilter struct{}

func DataCentreHostFilter(string) HostFilter { return HostFilter{} }

type AddressTranslator interface {
	Translate(addr net.IP, port int) (net.IP, int)
}

type AddressTranslatorFunc func(addr net.IP, port int) (net.IP, int)

func (f AddressTranslatorFunc) Translate(addr net.IP, port int) (net.IP, int) { return f(addr, port) }

type Consistency uint16

const (
	Any Consistency = iota
	One
	Two
	Three
	Quorum
	All
	LocalQuorum
	EachQuorum
	LocalOne
)

func ParseConsistency(string) Consistency { return Any }

func ParseConsistencyWrapper(string) (Consistency, error) { return Any, errLeftOut }

type SerialConsistency uint16

func (*SerialConsistency) UnmarshalText([]byte) error { return errLeftOut }
