package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// credentials are how connections log in.
type credentials struct{ user, password string }

// SetCredentials has new connections log in as the URL says from now on; those that are open are closed when they are
// not in use. The URL must lead to the same database.
func (d *DB) SetCredentials(url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("the database URL is not usable: %w", err)
	}
	now := d.pool.Config().ConnConfig
	if config.Host != now.Host || config.Port != now.Port || config.Database != now.Database {
		return errors.New("the database URL leads to another database: only its user and password can change while the " +
			"node runs; restart the node")
	}
	d.credentials.Store(&credentials{user: config.User, password: config.Password})
	d.pool.Reset()
	return nil
}

// logIn puts the present credentials into what a connection is made with.
func (d *DB) logIn(_ context.Context, config *pgx.ConnConfig) error {
	if present := d.credentials.Load(); present != nil {
		config.User, config.Password = present.user, present.password
	}
	return nil
}
