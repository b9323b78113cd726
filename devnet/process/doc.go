// Package process runs the child processes of a development network: each in a process group of its own, so that
// Ctrl-C reaches only the parent and the parent stops them in order, and each tied to the parent's life, so that
// `kill -9` of the parent leaves nothing behind (on Linux, where the kernel offers that).
package process
