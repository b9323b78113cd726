// Package datadir guards the one directory in which `florin up` keeps its state: a lock that admits one program at a
// time, and a format version that refuses directories this release cannot read.
package datadir
