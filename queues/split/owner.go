package split

// Push adds v at the bottom and returns true.
func (d *Deque[T]) Push(v T) bool {
	b := d.bot
	if b == d.limit { // 1
		d.makeRoom()
	}
	slots := d.slots
	slots[uint(b)&uint(len(slots)-1)] = v // 2
	d.bot = b + 1
	if d.bot-d.split > d.window || d.asked.Load() { // 3
		d.share()
	}
	return true
}

// PushAll adds all of vs, the first of them deepest, and returns their number.
func (d *Deque[T]) PushAll(vs []T) int {
	for rest := vs; len(rest) > 0; {
		if d.bot == d.limit { // 1
			d.makeRoom()
		}
		b, slots := d.bot, d.slots
		n := min(d.limit-b, uint32(min(len(rest), 1<<30)))
		for i, v := range rest[:n] { // 2
			slots[uint(b+uint32(i))&uint(len(slots)-1)] = v
		}
		d.bot = b + n
		if d.bot-d.split > d.window || d.asked.Load() { // 3
			d.share()
		}
		rest = rest[n:]
	}
	return len(vs)
}

// share publishes half when a thief has asked, or nothing is public as far as the owner
// has looked, and what is too much; the rest is hidden.
func (d *Deque[T]) share() {
	private := d.bot - d.split
	if private == 0 {
		return // and asked is left as it is, for the next item
	}
	var n uint32
	if private > Hidden {
		n = private - Hidden/2
	}
	if asked := d.asked.Load(); asked || d.window == 0 && public(d.word.Load()) == 0 {
		n = max(n, (private+1)/2)
		if asked {
			d.asked.Store(false) // before publishing: who finds nothing after that asks again
			if uint32(d.Len()) < d.low {
				d.shrink()
			}
		}
	}
	if n < private {
		d.hide()
	}
	if n > 0 {
		d.publish(n)
	}
}

// publish lets thieves see n more items.
func (d *Deque[T]) publish(n uint32) {
	d.split += n
	d.word.Add(uint64(n) * splitOne) // publishes the slots; pairs with the thief's 2
}

// hide says that items may be hidden.
func (d *Deque[T]) hide() {
	d.window = Hidden
	if !d.hides.Load() {
		d.hides.Store(true) // pairs with the thief's 5
	}
}

// Expose publishes all items. The owner calls it before it is away for long.
func (d *Deque[T]) Expose() {
	if n := d.bot - d.split; n > 0 {
		d.asked.Store(false)
		d.publish(n)
	}
}

// Pop takes the newest item.
func (d *Deque[T]) Pop() (v T, ok bool) {
	if d.bot == d.split && !d.reclaim() { // 4
		d.tidy()
		return v, false
	}
	d.bot-- // 5
	slots := d.slots
	slot := &slots[uint(d.bot)&uint(len(slots)-1)]
	var none T
	v, *slot = *slot, none
	if d.asked.Load() { // 3
		d.share()
	}
	return v, true
}

// reclaim takes items back from the public part, the newer half of up to 16: at least
// one, so that a single one is not left. It returns false if there are none.
func (d *Deque[T]) reclaim() bool {
	for {
		w := d.word.Load()
		n := min((public(w)+1)/2, Hidden/2)
		if n == 0 {
			return false
		}
		if d.word.CompareAndSwap(w, w-uint64(n)*splitOne) { // the claim; pairs with the thief's 2
			// All but one of them are hidden now, and hides is set, as n > 1 means that
			// more than one was public.
			d.split -= uint32(n)
			if n == public(w) {
				d.window = 0 // nothing is public: the next Push looks
			}
			if uint32(public(w)) < d.low {
				d.shrink()
			}
			return true
		}
	}
}
