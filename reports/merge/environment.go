package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports"
)

// environment is the env.json of the merged run: each fact once where the shards
// agree, else who has which.
func environment(shards []shard) ([]byte, error) {
	var names []string
	for _, s := range shards {
		for _, f := range s.run.Env {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",")
		}
		line, err := json.Marshal(map[string]string{name: agreed(shards, name)})
		if err != nil {
			return nil, fmt.Errorf("environment: %w", err)
		}
		b.WriteString("\n  ")
		b.Write(line[1 : len(line)-1])
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// agreed is a fact's value in all shards, or "1,3: this; 2: that".
func agreed(shards []shard, name string) string {
	var values []string
	who := map[string][]string{}
	for _, s := range shards {
		v := "unavailable"
		if i := slices.IndexFunc(s.run.Env, func(f reports.Fact) bool { return f.Name == name }); i >= 0 {
			v = s.run.Env[i].Value
		}
		if who[v] == nil {
			values = append(values, v)
		}
		who[v] = append(who[v], fmt.Sprint(s.Shard.Index))
	}
	if len(values) == 1 {
		return values[0]
	}
	for i, v := range values {
		values[i] = strings.Join(who[v], ",") + ": " + v
	}
	return "shard " + strings.Join(values, "; shard ")
}
