// Command bench drives a running node over HTTP and measures, in the same run and on the same database and Temporal,
// what each part under the node could do alone. A figure of a node says little without the ceilings of the machine it
// was measured on; the ratio of the two carries.
//
// docs/performance.md explains how to read the results.
package main
