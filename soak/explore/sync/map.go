package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Map stands in for the type of sync. Each operation is one step at the one
// location that the map is; Range is a step that takes a copy.
type Map struct {
	loc    control.Loc
	mu     real.Mutex // outside of explorations
	values map[any]any
	keys   []any // in the order of their first store
}

// reading is an operation that changes nothing.
func (m *Map) reading(op string, f func()) {
	control.Read(&m.loc)
	m.locked(op, f)
}

func (m *Map) writing(op string, f func()) {
	control.Write(&m.loc)
	m.locked(op, f)
}

func (m *Map) locked(op string, f func()) {
	m.mu.Lock()
	defer m.mu.Unlock() // a key that cannot be compared panics
	f()
	if control.Tracing() {
		control.Note(op)
	}
}

func (m *Map) set(key, value any) {
	if m.values == nil {
		m.values = map[any]any{}
	}
	if _, ok := m.values[key]; !ok {
		m.keys = append(m.keys, key)
	}
	m.values[key] = value
}

func (m *Map) remove(key any) {
	delete(m.values, key)
	for i, k := range m.keys {
		if k == key {
			m.keys = append(m.keys[:i:i], m.keys[i+1:]...)
			return
		}
	}
}

func (m *Map) Load(key any) (value any, ok bool) {
	m.reading("Load", func() { value, ok = m.values[key] })
	return value, ok
}

func (m *Map) Store(key, value any) { m.writing("Store", func() { m.set(key, value) }) }

func (m *Map) Clear() { m.writing("Clear", func() { m.values, m.keys = nil, nil }) }

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	m.writing("LoadOrStore", func() {
		if actual, loaded = m.values[key]; !loaded {
			actual = value
			m.set(key, value)
		}
	})
	return actual, loaded
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	m.writing("LoadAndDelete", func() {
		if value, loaded = m.values[key]; loaded {
			m.remove(key)
		}
	})
	return value, loaded
}

func (m *Map) Delete(key any) { m.LoadAndDelete(key) }

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	m.writing("Swap", func() {
		previous, loaded = m.values[key]
		m.set(key, value)
	})
	return previous, loaded
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	m.writing("CompareAndSwap", func() {
		if value, ok := m.values[key]; ok && value == old {
			m.set(key, new)
			swapped = true
		}
	})
	return swapped
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	m.writing("CompareAndDelete", func() {
		if value, ok := m.values[key]; ok && value == old {
			m.remove(key)
			deleted = true
		}
	})
	return deleted
}

func (m *Map) Range(f func(key, value any) bool) {
	var keys, values []any
	m.reading("Range", func() {
		for _, k := range m.keys {
			keys, values = append(keys, k), append(values, m.values[k])
		}
	})
	for i, k := range keys {
		if !f(k, values[i]) {
			return
		}
	}
}
