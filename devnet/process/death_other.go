//go:build !linux

package process

import "syscall"

// setDeathSignal does nothing: only Linux ends a child with its parent. Callers end it at their next start.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
