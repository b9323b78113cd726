// Package e2e tests the built binary from outside: what a person types, what a client sends over HTTP, and what happens
// when processes are killed. The tests start nodes on free ports, on data directories and databases of their own, and
// leave nothing behind. They need Linux, where they find processes under /proc.
package e2e
