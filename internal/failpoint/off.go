//go:build !failpoints

package failpoint

// Hit does nothing: this program was built without failpoints.
func Hit(string) {}
