// Package temporalchild runs a Temporal development server as a supervised child process: it starts this same program
// again with a hidden command, waits until that reports ready, starts it again when it crashes, and stops it. It links
// nothing of the server, so that tests and tools can use it cheaply; the command's own half is package temporal.
package temporalchild
