// Command program is a small program with one module, for the tests of releases.
package main

import (
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var group errgroup.Group
	group.Go(func() error {
		_, err := fmt.Println("a program")
		return err
	})
	_ = group.Wait()
}
