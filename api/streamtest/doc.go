// Package streamtest tests that closed streams leave nothing behind. It is a separate package because its test counts
// the goroutines and the CPU time of its whole process.
package streamtest
