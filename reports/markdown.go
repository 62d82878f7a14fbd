package reports

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// markdownMost bounds a Markdown report: GitHub drops a step summary of more
// than 1 MiB as a whole.
const markdownMost = 900_000

// Markdown writes the report for a step summary: the verdict first, then as many
// sections as fit, each in whole or not at all, and those of more behind its own.
func (r *Run) Markdown(w io.Writer, more ...Section) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "## %s\n\n%s\n", r.headline(), markdownText(r.tally()))
	const note = "\n%d sections did not fit: see the HTML report.\n"
	sections := append(r.Sections(), more...)
	for i, s := range sections {
		var part bytes.Buffer
		markdownSection(&part, s)
		if out.Len()+part.Len()+len(note)+8 > markdownMost {
			fmt.Fprintf(&out, note, len(sections)-i)
			break
		}
		out.Write(part.Bytes())
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("reports: markdown: %w", err)
	}
	return nil
}

// headline is the verdict in words.
func (r *Run) headline() string {
	if r.Reason == "" {
		return r.Verdict.String()
	}
	return fmt.Sprintf("%s (%s)", r.Verdict, r.Reason)
}

// tally is what was done.
func (r *Run) tally() string {
	clean := 0
	for _, g := range r.Groups {
		clean += g.Clean
	}
	return fmt.Sprintf("%d of %d repetitions clean, %d run, of %d %s.", clean, r.Plan.Total(), len(r.Records), len(r.Groups), plural(len(r.Groups), "key"))
}

// openSections are not folded.
var openSections = map[string]bool{"failures": true, "keys": true, "warnings": true, "limits": true}

func markdownSection(out *bytes.Buffer, s Section) {
	if openSections[s.ID] {
		fmt.Fprintf(out, "\n### %s\n", s.Title)
	} else {
		fmt.Fprintf(out, "\n<details><summary>%s</summary>\n", html.EscapeString(s.Title))
		defer out.WriteString("\n</details>\n")
	}
	for _, b := range s.Blocks {
		out.WriteString("\n")
		markdownBlock(out, b)
	}
}

func markdownBlock(out *bytes.Buffer, b Block) {
	switch b := b.(type) {
	case Text:
		out.WriteString(markdownText(string(b)) + "\n")
	case Code:
		code := printable(string(b))
		fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
		fmt.Fprintf(out, "%s\n%s\n%s\n", fence, strings.TrimRight(code, "\n"), fence)
	case *Table:
		markdownTable(out, b)
	case *Chart:
		fmt.Fprintf(out, "**%s.** %s\n\n", markdownText(b.Title), markdownText(b.About))
		markdownTable(out, b.Table)
	}
}

func markdownTable(out *bytes.Buffer, t *Table) {
	fmt.Fprintf(out, "%s\n\n", markdownText(t.Caption))
	names, rule := "|", "|"
	for _, c := range t.Columns {
		names += " " + markdownCell(c.Name) + " |"
		if c.Numeric {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	fmt.Fprintf(out, "%s\n%s\n", names, rule)
	for _, r := range t.Rows {
		out.WriteString("|")
		for _, c := range r.Cells {
			out.WriteString(" " + markdownCell(c.Text) + " |")
		}
		out.WriteString("\n")
	}
}

func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(markdownText(s))
}

// markdownText makes text that says what s does, and no markup: neither HTML nor
// Markdown's.
func markdownText(s string) string {
	s = html.EscapeString(printable(s))
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "#", `\#`).Replace(s)
}

func longestRun(s string, c rune) (longest int) {
	run := 0
	for _, r := range s {
		if run++; r != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
