package jobs

import (
	"slices"
	"sync"
)

// Memory is a Store that lives as long as the process. It serves tests, and a
// supervisor that takes over from another one. The zero Memory is empty. It
// grows until records are deleted.
type Memory struct {
	mu      sync.Mutex
	records map[string]Record // guarded by mu
}

// Load implements Store.
func (m *Memory) Load() (Stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s Stored
	for _, r := range m.records {
		r.Output = slices.Clone(r.Output)
		s.Records = append(s.Records, r)
	}
	return s, nil
}

// Put implements Store.
func (m *Memory) Put(r Record) error {
	r.Output = slices.Clone(r.Output)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = map[string]Record{}
	}
	m.records[r.ID] = r
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, id)
	return nil
}
