package bench

// The unbalanced tree search. Each node is a number, from which follows how many
// children it has and which: the same tree everywhere, and one that nobody can
// balance ahead. It is the binomial tree of the UTS benchmark with another hash:
// the root has many children, and every other node has 4 with a probability of
// 0.234, else none. So a subtree has 16 nodes on average and often 1.

const treeSeed = 1

type node uint64

func (x node) child(i int) node { return node(mix(uint64(x) + uint64(i)*0x9e3779b97f4a7c15 + 1)) }

func (x node) children() int {
	if uint64(x)%1000 < 234 {
		return 4
	}
	return 0
}

// treeLoop counts the nodes of a tree, a task a node. The root's children are
// spawned in batches.
func treeLoop[W, H any](p Pool[W, H], root int) loop {
	answer := 1
	for i := range root {
		answer += node(treeSeed).child(i).count()
	}
	return problem(p, func(w W) (int, error) {
		sum := 1
		for from := 0; from < root; from += widest {
			k, err := forkTree(p, w, treeSeed, from, min(from+widest, root))
			if err != nil {
				return 0, err
			}
			sum += k
		}
		return sum, nil
	}, answer, answer)
}

// count is the number of nodes from x on, counted in one goroutine.
func (x node) count() int {
	n := 1
	for i := range x.children() {
		n += x.child(i).count()
	}
	return n
}

// forkTree counts the subtrees of the children [from, to) of x.
func forkTree[W, H any](p Pool[W, H], w W, x node, from, to int) (int, error) {
	var children brood[W, H]
	for i := from; i < to; i++ {
		c := x.child(i)
		children.spawn(p, w, func(w W) (int, error) {
			n, err := forkTree(p, w, c, 0, c.children())
			return n + 1, err
		})
	}
	return children.join(p, w)
}
