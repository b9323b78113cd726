// Package streamtest tests what streams leave behind. It is a package of its own because its test counts the goroutines
// and the time of the processor of its whole process.
package streamtest
