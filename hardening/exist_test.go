package hardening

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/campaign"
)

// The reports there are: whoever takes one out of the table says so here.
var ids = strings.Fields(`Q01 Q04 Q05 Q08 Q09 Q11 Q13 Q15 Q17 Q19
	E01 E04 E06 E07 E10 E11 E13 E16 E17 E19 E22 E23 E26 E28 E29 E31 E33 E35 E37 E39
	C01 C03 C05 R01 R03 R05 R07 R09 R11 R13`)

var publicForm = regexp.MustCompile(`^([\w.-]+/[\w.-]+#\d+|CVE-\d+-\d+|JDK-\d+)(, ([\w.-]+/[\w.-]+#\d+|CVE-\d+-\d+|JDK-\d+))*$`)

// TestEveryReport: each is there once, says what went wrong, and has what it names.
func TestEveryReport(t *testing.T) {
	seen := map[string]int{}
	look := &tree{folders: map[string]names{}, caught: canaries()}
	for _, r := range all() {
		seen[r.id]++
		for _, fault := range look.check(r) {
			t.Errorf("%s: %s", r.id, fault)
		}
	}
	for _, id := range ids {
		if seen[id] != 1 {
			t.Errorf("%s is there %d times", id, seen[id])
		}
		delete(seen, id)
	}
	for id := range seen {
		t.Errorf("%s is not a report that there is", id)
	}
}

// TestChecks: what is not there is found.
func TestChecks(t *testing.T) {
	look := &tree{folders: map[string]names{}, caught: canaries()}
	good := report{id: "Q01", public: "a/b#1, CVE-2021-1", what: "x", tests: []string{"hardening/TestChecks"}, kills: []kill{{subject: "stale-ring", law: "duplicated"}}}
	if faults := look.check(good); faults != nil {
		t.Errorf("good: %q", faults)
	}
	for name, spoil := range map[string]func(*report){
		"no such test":     func(r *report) { r.tests = []string{"hardening/TestNothing"} },
		"no such folder":   func(r *report) { r.tests = []string{"softening/TestChecks"} },
		"no test":          func(r *report) { r.tests = nil },
		"no kill":          func(r *report) { r.kills = nil },
		"no such canary":   func(r *report) { r.kills[0].subject = "nobody" },
		"another law":      func(r *report) { r.kills[0].law = "leak" },
		"no such law":      func(r *report) { r.kills[0].law = "gravity" },
		"no such fault":    func(r *report) { r.kills[0].subject = "hardening/TestChecks: " + strings.Repeat("no", 3) },
		"no such subject":  func(r *report) { r.kills[0].subject = "soak/subjects/TestHostile: nobody" },
		"law of a subject": func(r *report) { r.kills[0] = kill{subject: "soak/subjects/TestHostile: leaks", law: "crash"} },
		"no such module": func(r *report) {
			r.kills[0] = kill{subject: "soak/subjects/TestVerdicts: pools", law: "stall", module: "example.com/pool v1.0.0"}
		},
		"where":             func(r *report) { r.public = "somewhere" },
		"what":              func(r *report) { r.what = "" },
		"what, in two rows": func(r *report) { r.what = "a\nb" },
	} {
		r := good
		r.kills = slices.Clone(good.kills)
		spoil(&r)
		if len(look.check(r)) != 1 {
			t.Errorf("%s: %q, want one", name, look.check(r))
		}
	}
}

// canaries are the subjects that a run must catch, with the laws that may.
func canaries() map[string][]record.Reason {
	caught := map[string][]record.Reason{}
	for _, c := range campaign.Canaries(2) {
		if len(c.Killers) > 0 {
			caught[c.Subject.Name] = c.Killers
		}
	}
	return caught
}

// tree is what the rows are held against.
type tree struct {
	folders map[string]names
	caught  map[string][]record.Reason
}

// names are the tests of a folder and its rows: for each string that is an element of a
// table there, what else the row says.
type names struct {
	tests map[string]bool
	rows  map[string][]string
}

func (t *tree) check(r report) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if !publicForm.MatchString(r.public) {
		add("it is to be read at %q", r.public)
	}
	if r.what == "" || strings.ContainsAny(r.what+r.out, "\n") {
		add("it does not say in one line what went wrong")
	}
	if r.out == "" && len(r.tests) == 0 {
		add("there is no test, and no word why")
	}
	if r.out == "" && len(r.kills) == 0 {
		add("there is no faulty subject, and no word why")
	}
	for _, name := range r.tests {
		if err := t.test(name); err != nil {
			add("%v", err)
		}
	}
	for _, k := range r.kills {
		if err := t.kill(k); err != nil {
			add("%v", err)
		}
	}
	return faults
}

// test looks for a test, "folder/TestName".
func (t *tree) test(name string) error {
	n, err := t.folder(path.Dir(name))
	if err != nil {
		return err
	}
	if !n.tests[path.Base(name)] {
		return fmt.Errorf("there is no test %s", name)
	}
	return nil
}

func (t *tree) kill(k kill) error {
	where, fault, planted := strings.Cut(k.subject, ": ")
	if !planted {
		killers, known := t.caught[k.subject]
		switch {
		case !known:
			return fmt.Errorf("there is no canary %s", k.subject)
		case !slices.Contains(killers, record.Reason(k.law)):
			return fmt.Errorf("canary %s is caught by %v, not by %s", k.subject, killers, k.law)
		}
		return nil
	}
	if err := t.test(where); err != nil {
		return err
	}
	n, err := t.folder(path.Dir(where))
	if err != nil {
		return err
	}
	if row, known := n.rows[fault]; !known || !slices.ContainsFunc(row, func(word string) bool {
		return word == k.law || strings.Contains(word, `FAILED \(`+k.law+`\)`) || strings.Contains(word, "FAILED ("+k.law+")")
	}) {
		return fmt.Errorf("no row of %s has %q caught by %s: %q", path.Dir(where), fault, k.law, row)
	}
	if k.module == "" {
		return nil
	}
	required, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path.Dir(where)), "go.mod"))
	if err == nil && !strings.Contains(string(required), "\t"+k.module+"\n") {
		err = fmt.Errorf("%s does not have %s", path.Dir(where), k.module)
	}
	return err
}

// folder reads the tests of a folder, and those beside it of subjects.
func (t *tree) folder(name string) (names, error) {
	if n, ok := t.folders[name]; ok {
		return n, nil
	}
	n := names{map[string]bool{}, map[string][]string{}}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(name), "*_test.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no test in %s", name)
	}
	for _, file := range files {
		if err == nil {
			err = n.read(file)
		}
	}
	t.folders[name] = n
	return n, err
}

func (n names) read(file string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			n.tests[fn.Name.Name] = true
		}
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.CompositeLit:
			for _, e := range x.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					n.row(pair.Value, x)
				} else {
					n.row(e, x)
				}
			}
		case *ast.KeyValueExpr:
			n.row(x.Key, x)
		}
		return true
	})
	return nil
}

// row notes what is in node, if e is a string that can name it.
func (n names) row(e ast.Expr, node ast.Node) {
	name, ok := text(e)
	if !ok {
		return
	}
	ast.Inspect(node, func(in ast.Node) bool {
		if e, ok := in.(ast.Expr); ok {
			if word, ok := text(e); ok {
				n.rows[name] = append(n.rows[name], word)
			}
		}
		return true
	})
}

// text is the string that e is, or what a reason is called: record.Lost.
func text(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil && x.Kind == token.STRING
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok && of.Name == "record" {
			return strings.ToLower(x.Sel.Name), true
		}
	}
	return "", false
}
