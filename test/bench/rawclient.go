package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
)

// rawClient repeats a request over one connection with a new number each time. It needs much less CPU than net/http,
// which would take CPU time from the measured processes.
type rawClient struct {
	address string
	request []byte
	// number is the position of the number in the request.
	number int
	conn   net.Conn
	reader *bufio.Reader
	// answers counts the answers by status and code.
	answers map[string]int
}

// newRawClient makes a client for a request with a number after the prefix in its body.
func newRawClient(base, token, path string, body []byte, prefix string) (*rawClient, error) {
	address, err := url.Parse(base)
	if err != nil || address.Scheme != "http" || address.Port() == "" {
		return nil, fmt.Errorf("the overload needs a node at http://host:port, not %q", base)
	}
	c := &rawClient{address: address.Host, answers: map[string]int{}}
	c.request = fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, address.Host, token, len(body), body)
	found := bytes.LastIndex(c.request, []byte(prefix))
	if found < 0 {
		return nil, fmt.Errorf("the request has no number after %q", prefix)
	}
	c.number = found + len(prefix)
	return c, nil
}

// send sends the request with the number. An answer other than 2xx is a *[client.Error].
func (c *rawClient) send(ctx context.Context, number string) error {
	if c.conn == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.address)
		if err != nil {
			return fmt.Errorf("reach the node: %w", err)
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	copy(c.request[c.number:], number)
	if err := c.conn.SetDeadline(time.Now().Add(drainTimeout)); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return fmt.Errorf("send to the node: %w", err)
	}
	status, body, err := c.read()
	if err != nil {
		return fmt.Errorf("read the node's answer: %w", err)
	}
	if status < 300 {
		c.answers[strconv.Itoa(status)]++
		return nil
	}
	refusal := &client.Error{Status: status, Body: body}
	_ = json.Unmarshal(body, refusal) // without JSON there is no code
	c.answers[strings.TrimSpace(strconv.Itoa(status)+" "+refusal.Code)]++
	return refusal
}

// read reads one answer with a Content-Length.
func (c *rawClient) read() (status int, body []byte, err error) {
	lines := textproto.NewReader(c.reader)
	first, err := lines.ReadLine()
	if err != nil {
		return 0, nil, err
	}
	if _, err := fmt.Sscanf(first, "HTTP/1.1 %d", &status); err != nil {
		return 0, nil, fmt.Errorf("%q is not an HTTP status line: %w", first, err)
	}
	length := 0
	for {
		line, err := lines.ReadLineBytes()
		if err != nil {
			return 0, nil, err
		}
		if len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
	}
	body = make([]byte, length)
	_, err = io.ReadFull(c.reader, body)
	return status, body, err
}

func (c *rawClient) close() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing to do about an error
	}
}
