// Package daml is the commands for packages in Daml: they read DAR files, and need no node.
package daml
