package certify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A rule's number in the table of SEMANTICS.md, and in the name of a test.
var (
	ruleRow  = regexp.MustCompile(`(?m)^\| ([LXSVG]\d+) \|`)
	ruleName = regexp.MustCompile(`[LXSVG]\d+`)
)

// TestEveryRuleHasATest reads the rules and the names of all tests: a rule
// without a test is missing, and a number without a rule is a slip.
func TestEveryRuleHasATest(t *testing.T) {
	text, err := os.ReadFile("SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, row := range ruleRow.FindAllStringSubmatch(string(text), -1) {
		rules = append(rules, row[1])
	}
	if len(rules) < 50 {
		t.Fatalf("SEMANTICS.md: found only %d rules", len(rules))
	}
	for _, fault := range checkRules(rules, testNames(t)) {
		t.Error(fault)
	}
}

// checkRules returns what is wrong between rules and names of tests.
func checkRules(rules, names []string) (faults []string) {
	tests := map[string]int{}
	for _, r := range rules {
		if _, twice := tests[r]; twice {
			faults = append(faults, "rule "+r+" is there twice")
		}
		tests[r] = 0
	}
	for _, name := range names {
		for _, r := range ruleName.FindAllString(name, -1) {
			if _, known := tests[r]; !known {
				faults = append(faults, name+": there is no rule "+r)
			}
			tests[r]++
		}
	}
	for _, r := range rules {
		if tests[r] == 0 {
			faults = append(faults, "rule "+r+" has no test: name one ..."+r)
		}
	}
	return faults
}

// The check of the rules finds what it is for.
func TestCheckRules(t *testing.T) {
	got := checkRules([]string{"L1", "L11", "X2", "X2"}, []string{"TestOneL1X2", "TestOtherV9", "TestPlain"})
	want := []string{"rule X2 is there twice", "TestOtherV9: there is no rule V9", "rule L11 has no test: name one ...L11"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// testNames are the names of all test functions of the module.
func testNames(t *testing.T) (names []string) {
	for file := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// X13: the task model builds where it must. That it passes there too, on 32
// bits, is for scripts/check.sh, which runs its tests under GOARCH=386.
func TestBuildsX13(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for other platforms")
	}
	for _, target := range []string{"linux/386", "darwin/arm64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(target, "/")
		c := exec.Command("go", "build", "./executor/...", "./queues/...")
		c.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}
