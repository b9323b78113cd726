//go:build !linux

package process

import "syscall"

// setDeathSignal does nothing: only Linux ties a child's life to its parent's. Callers find what was left behind at
// their next start.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
