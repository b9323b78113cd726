// Package process runs the child processes of a development network. Each has its own process group, so that Ctrl-C
// reaches only the parent, which stops them in order. On Linux the kernel ends them with the parent, also after `kill
// -9`.
package process
