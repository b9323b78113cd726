// Command program is what the tests make a release of: small, with one module in it.
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
