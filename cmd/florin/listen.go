package main

import (
	"errors"
	"fmt"
	"syscall"
)

// explainListen says what to do about an address that cannot be listened on.
func explainListen(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is taken by another program: stop it, or choose another address with --listen "+
			"(port 0 takes a free one): %w", address, err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("not allowed to listen on %s: choose a port above 1023 with --listen: %w", address, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("this machine has no address %s: choose one of its own with --listen: %w", address, err)
	default:
		return err
	}
}
