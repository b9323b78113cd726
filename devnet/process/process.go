package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// pipeGrace bounds the wait for grandchildren that still hold the output of an ended process open.
const pipeGrace = 2 * time.Second

// Process is a started child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts cmd in its own process group. On Linux the kernel sends deathSignal to the process when the calling
// program dies; elsewhere deathSignal is ignored. Fields of cmd.SysProcAttr that the caller set (credentials) are
// kept.
func Start(cmd *exec.Cmd, deathSignal syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	setDeathSignal(cmd.SysProcAttr, deathSignal)
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = pipeGrace
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// run starts the process and stays on its thread until the process has ended: the kernel ties the death signal to the
// thread that forked, not to the program.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	p.err = p.cmd.Wait()
	if errors.Is(p.err, exec.ErrWaitDelay) {
		p.err = nil
	}
	close(p.done)
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed after the process has ended and its output is read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the result of the process: nil for exit status 0, else *exec.ExitError. Valid only after Done.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Signal sends a signal. It returns no error if the process has ended.
func (p *Process) Signal(signal syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	err := p.cmd.Process.Signal(signal)
	if err != nil && !errors.Is(err, syscall.ESRCH) && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s to process %d: %w", signal, p.PID(), err)
	}
	return nil
}

// Stop sends the polite signal and waits for the end of the process. When grace or ctx ends first, it sends the
// forceful signal, at last SIGKILL, and returns an error with the signal that worked.
func (p *Process) Stop(ctx context.Context, polite, forceful syscall.Signal, grace time.Duration) error {
	if err := p.Signal(polite); err != nil {
		return err
	}
	polled, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	select {
	case <-p.done:
		return nil
	case <-polled.Done():
	}
	if err := p.Signal(forceful); err != nil {
		return err
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case <-p.done:
		return fmt.Errorf("process %d did not end on %s within %s and was ended with %s", p.PID(), polite, grace, forceful)
	case <-last.C:
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return fmt.Errorf("process %d had to be killed", p.PID())
}
