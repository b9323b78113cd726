package api

import "container/list"

// connectionOrder has connections in the order in which they came to wait, those of each address by themselves: whoever
// opens many does not make it dear to find one. The lock of [Connections] guards it.
type connectionOrder struct {
	byPlace map[connectionPlace]*list.List
	at      map[*countedConn]*list.Element
	number  uint64
}

// connectionPlace is where connections come in and where they come from.
type connectionPlace struct {
	listener *countingListener
	address  string
}

// numbered is an element of a list: a connection, and its number among all in the order.
type numbered struct {
	*countedConn
	number uint64
}

func newConnectionOrder() *connectionOrder {
	return &connectionOrder{byPlace: map[connectionPlace]*list.List{}, at: map[*countedConn]*list.Element{}}
}

// add puts a connection last, and reports whether it was not there yet.
func (o *connectionOrder) add(one *countedConn) bool {
	if o.has(one) {
		return false
	}
	place := one.place()
	if o.byPlace[place] == nil {
		o.byPlace[place] = list.New()
	}
	o.number++
	o.at[one] = o.byPlace[place].PushBack(numbered{one, o.number})
	return true
}

func (o *connectionOrder) has(one *countedConn) bool { return o.at[one] != nil }

func (o *connectionOrder) drop(one *countedConn) {
	if !o.has(one) {
		return
	}
	waiting := o.byPlace[one.place()]
	waiting.Remove(o.at[one])
	delete(o.at, one)
	if waiting.Len() == 0 {
		delete(o.byPlace, one.place())
	}
}

// first is the first connection of the address that has most connections, of those addresses whose first is among them;
// nil for none. Of addresses that have as many it is the one that came first.
func (o *connectionOrder) first(connections func(address string) int, among func(*countedConn) bool) *countedConn {
	var found numbered
	for _, waiting := range o.byPlace {
		one, _ := waiting.Front().Value.(numbered)
		if !among(one.countedConn) {
			continue
		}
		if found.countedConn == nil {
			found = one
			continue
		}
		more := connections(one.address) - connections(found.address)
		if more > 0 || more == 0 && one.number < found.number {
			found = one
		}
	}
	return found.countedConn
}

func (c *countedConn) place() connectionPlace { return connectionPlace{c.listener, c.address} }
