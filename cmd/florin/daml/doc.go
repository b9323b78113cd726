// Package daml has the commands for Daml packages. They read DAR files; most of them need no node.
package daml
