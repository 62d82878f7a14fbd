// Package broken does not compile.
package broken

import "github.com/exactlyonce/certify/soak"

// Executors has what is nowhere.
func Executors() []soak.Executor { return nowhere }
