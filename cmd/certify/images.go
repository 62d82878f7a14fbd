package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/chart"
)

// image is a chart that was written as a PNG.
type image struct{ path, title string }

// images writes every chart of the sections to the directory of --png, in light
// colours and at twice its size.
func (f *reportFlags) images(sections []reports.Section) (all []image, err error) {
	if f.png == "" {
		return nil, nil
	}
	if err := os.MkdirAll(f.png, 0o755); err != nil {
		return nil, usage("--png: %w", err)
	}
	taken := map[string]bool{}
	for _, s := range sections {
		for _, b := range s.Blocks {
			c, ok := b.(*reports.Chart)
			if !ok {
				continue
			}
			var picture bytes.Buffer
			if err := chart.PNG(&picture, c); err != nil {
				return all, err
			}
			i := image{filepath.Join(f.png, imageName(s.ID, c.Title, taken)), c.Title}
			if err := os.WriteFile(i.path, picture.Bytes(), 0o644); err != nil {
				return all, usage("--png: %w", err)
			}
			all = append(all, i)
		}
	}
	return all, nil
}

// imageMost bounds a name, which systems do too.
const imageMost = 80

// imageName is a name of letters, digits and - that is not taken yet.
func imageName(section, title string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(section+" "+title), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	name := strings.Join(words, "-")
	name = strings.Trim(name[:min(len(name), imageMost)], "-")
	free := name
	for n := 2; taken[free]; n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	taken[free] = true
	return free + ".png"
}
