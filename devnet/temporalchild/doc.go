// Package temporalchild runs a Temporal development server as a supervised child process: it starts this same program
// with a hidden command, waits for its report, restarts it after a crash, and stops it. It does not link the server, so
// tests and tools stay small; package temporal is the command's side.
package temporalchild
