package peers

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Closed pools leave nothing behind. Told so, the test program is a native one, which
// is right or is not.
func TestMain(m *testing.M) {
	if does := os.Getenv("PEERS_TEST_NATIVE"); does != "" {
		os.Exit(native(does))
	}
	entries() // stops what ants has started before
	goleak.VerifyTestMain(m)
}

func native(does string) int {
	if os.Args[1] == "list" {
		fmt.Println("Fib/n=10/workers=2/pool=toy/native=go\nChain/workers=2/pool=toy/native=go")
		return 0
	}
	orders := bufio.NewScanner(os.Stdin)
	for i := 0; orders.Scan(); i++ {
		switch {
		case i > 0 && does == "babbles":
			fmt.Println("well")
		case i > 0 && does == "dies":
			fmt.Fprintln(os.Stderr, "wrong: fib")
			return 1
		default:
			fmt.Println("8800 17600")
		}
	}
	return 0
}
