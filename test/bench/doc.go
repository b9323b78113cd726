// Command bench measures a running node over HTTP and, in the same run, the ceilings: the rates of HTTP, PostgreSQL and
// Temporal alone. The figures of a node depend on the machine; the ratio to the ceilings does not.
//
// docs/performance.md explains how to read the results.
package main
