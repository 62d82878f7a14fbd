package html

import (
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/exactlyonce/certify/reports"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"soft": soft}).Parse(pageHTML))
)

// Write writes the report of run, and the sections of more behind its own. An id
// that is taken gets a number behind it. An error is that of w, or of a record
// that is not valid.
func Write(w io.Writer, run *reports.Run, more ...reports.Section) error {
	raw, err := rawData(run)
	if err != nil {
		return fmt.Errorf("html: %s: %w", run.ID, err)
	}
	var b builder
	p := page{
		Head:     headOf(run),
		Sections: b.sections(append(run.Sections(), more...)),
		Raw:      raw,
		Policy:   policy,
		CSS:      template.CSS(pageCSS),
		JS:       template.JS(pageJS),
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("html: %s: %w", run.ID, err)
	}
	return nil
}

// page is what the template is filled with.
type page struct {
	Head     head
	Sections []section
	Raw      []raw
	Policy   string
	CSS      template.CSS
	JS       template.JS
}

// policy lets the browser run the two parts that we wrote, and load nothing.
var policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(pageCSS), digest(pageJS))

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
