package soak

import (
	"fmt"
	"strings"
)

// find returns the one of that name, or an error that lists the names there are.
func find[T any](what, name string, all []T, nameOf func(T) string) (found T, err error) {
	var known []string
	for _, v := range all {
		if nameOf(v) == name {
			return v, nil
		}
		known = append(known, nameOf(v))
	}
	return found, fmt.Errorf("soak: no %s %q; there are: %s", what, name, strings.Join(known, ", "))
}
