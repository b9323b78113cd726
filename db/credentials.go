package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// credentials are the user and the password with which connections log in.
type credentials struct{ user, password string }

// loginPatience bounds one try to log in.
const loginPatience = 5 * time.Second

// SetCredentials makes new connections log in as the URL says; open connections close when they are idle. The URL must
// lead to the same database. If the database refuses the login, nothing changes.
func (d *DB) SetCredentials(ctx context.Context, url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("the database URL is not usable: %w", err)
	}
	now := d.pool.Config().ConnConfig
	if config.Host != now.Host || config.Port != now.Port || config.Database != now.Database {
		return errors.New("the database URL leads to another database: only its user and password can change while the " +
			"node runs; restart the node")
	}
	if err := d.tryLogin(ctx, config.User, config.Password); err != nil {
		return err
	}
	d.credentials.Store(&credentials{user: config.User, password: config.Password})
	d.pool.Reset()
	for _, watcher := range d.allWatchers() {
		watcher.loginChanged.Store(true)
	}
	return nil
}

// tryLogin logs in once. If the database does not answer, it returns nil.
func (d *DB) tryLogin(ctx context.Context, user, password string) error {
	ctx, cancel := context.WithTimeout(ctx, loginPatience)
	defer cancel()
	config := d.pool.Config().ConnConfig.Copy()
	config.User, config.Password = user, password
	connection, err := pgx.ConnectConfig(ctx, config)
	if refused, answered := errors.AsType[*pgconn.PgError](err); answered &&
		pgerrcode.IsInvalidAuthorizationSpecification(refused.Code) {
		return fmt.Errorf("the database refuses the user and password of its new URL: %w", err)
	}
	if err != nil {
		return nil // it is away or full: the new login counts when it is back
	}
	return connection.Close(ctx)
}

func (d *DB) logIn(_ context.Context, config *pgx.ConnConfig) error {
	if present := d.credentials.Load(); present != nil {
		config.User, config.Password = present.user, present.password
	}
	return nil
}
