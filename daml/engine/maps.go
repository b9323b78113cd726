package engine

// Map is a text map or a generic map: a balanced tree in ascending order of keys. Maps share subtrees.
type Map struct {
	Text bool
	root *mapNode
}

type mapNode struct {
	key, value  Value
	left, right *mapNode
	size        int
}

// Len is the number of entries.
func (m *Map) Len() int { return m.root.len() }

// Each calls yield with each entry, in ascending order of keys, until it returns false.
func (m *Map) Each(yield func(key, value Value) bool) { m.root.each(yield) }

func (m *Map) entries() *List {
	var out *List
	m.root.backward(func(key, value Value) { out = &List{Head: key, Tail: &List{Head: value, Tail: out}} })
	return out
}

func (n *mapNode) len() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *mapNode) each(yield func(key, value Value) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.key, n.value) && n.right.each(yield)
}

func (n *mapNode) backward(yield func(key, value Value)) {
	if n != nil {
		n.right.backward(yield)
		yield(n.key, n.value)
		n.left.backward(yield)
	}
}

// find returns the value of a key, or nil.
func (m *machine) find(n *mapNode, key Value) (Value, *Failure) {
	for n != nil {
		order, failure := m.compare(key, n.key)
		switch {
		case failure != nil:
			return nil, failure
		case order == 0:
			return n.value, nil
		case order < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil, nil
}

// nodeBytes is the size of a change at each level of a tree: new nodes replace one node, or three.
const nodeBytes = 8 * valueBytes

// insert returns a tree with an entry added or replaced.
func (m *machine) insert(n *mapNode, key, value Value) (*mapNode, *Failure) {
	if !m.alloc(nodeBytes) {
		return nil, m.failure
	}
	if n == nil {
		return node(key, value, nil, nil), nil
	}
	order, failure := m.compare(key, n.key)
	if failure != nil {
		return nil, failure
	}
	switch {
	case order < 0:
		left, failure := m.insert(n.left, key, value)
		if failure != nil {
			return nil, failure
		}
		return balance(n.key, n.value, left, n.right), nil
	case order > 0:
		right, failure := m.insert(n.right, key, value)
		if failure != nil {
			return nil, failure
		}
		return balance(n.key, n.value, n.left, right), nil
	default:
		return node(key, value, n.left, n.right), nil
	}
}

// remove returns a tree without a key.
func (m *machine) remove(n *mapNode, key Value) (*mapNode, *Failure) {
	if n == nil {
		return nil, nil
	}
	if !m.alloc(nodeBytes) {
		return nil, m.failure
	}
	order, failure := m.compare(key, n.key)
	if failure != nil {
		return nil, failure
	}
	switch {
	case order < 0:
		left, failure := m.remove(n.left, key)
		if failure != nil {
			return nil, failure
		}
		return balance(n.key, n.value, left, n.right), nil
	case order > 0:
		right, failure := m.remove(n.right, key)
		if failure != nil {
			return nil, failure
		}
		return balance(n.key, n.value, n.left, right), nil
	default:
		return join(n.left, n.right), nil
	}
}

func node(key, value Value, left, right *mapNode) *mapNode {
	return &mapNode{key: key, value: value, left: left, right: right, size: left.len() + right.len() + 1}
}

// join joins two trees. All keys of the first must be before those of the second.
func join(left, right *mapNode) *mapNode {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	}
	first, rest := takeFirst(right)
	return balance(first.key, first.value, left, rest)
}

func takeFirst(n *mapNode) (first, rest *mapNode) {
	if n.left == nil {
		return n, n.right
	}
	first, left := takeFirst(n.left)
	return first, balance(n.key, n.value, left, n.right)
}

// The weights of balanced trees (Adams): neither side has more than weight times the entries of the other.
const (
	weight = 3
	ratio  = 2
)

// balance makes a node; one side may have one entry too many.
func balance(key, value Value, left, right *mapNode) *mapNode {
	switch l, r := left.len(), right.len(); {
	case l+r <= 1:
		return node(key, value, left, right)
	case r > weight*l:
		if right.left.len() < ratio*right.right.len() {
			return node(right.key, right.value, node(key, value, left, right.left), right.right)
		}
		inner := right.left
		return node(inner.key, inner.value, node(key, value, left, inner.left),
			node(right.key, right.value, inner.right, right.right))
	case l > weight*r:
		if left.right.len() < ratio*left.left.len() {
			return node(left.key, left.value, left.left, node(key, value, left.right, right))
		}
		inner := left.right
		return node(inner.key, inner.value, node(left.key, left.value, left.left, inner.left),
			node(key, value, inner.right, right))
	default:
		return node(key, value, left, right)
	}
}
