package endpoint

// Use is how much of a limit is taken at the moment.
type Use struct {
	// Limit names it.
	Limit string
	// InUse of Max are taken.
	InUse, Max int64
}

// Uses are how much is taken of what all requests of this process may have together. What one user may have
// is not among it: there are as many of those as there are users.
func (l *Limits) Uses() []Use {
	return []Use{
		l.requests.use("requests"), l.waiting.use("waiting_requests"), l.anonymous.places.use("anonymous_requests"),
		l.bodies.use("request_bytes"), l.streamRequests.use("stream_request_bytes"), l.answers.use("answer_bytes"),
	}
}

func (p *places) use(limit string) Use {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Use{Limit: limit, InUse: p.count, Max: p.all}
}

// Use is how many streams are open.
func (s *Streams) Use() Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Use{Limit: "streams", InUse: int64(s.count), Max: int64(s.options.Max)}
}
