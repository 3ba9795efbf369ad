// SPDX-License-Identifier: BSD-3-Clause

// An S3 server for measurements: objects in memory, TLS, and a network as long as is asked for: every byte of every
// connection, the handshakes' too, comes half a round trip later. It checks no signatures and costs little itself.
//
// usage: s3server CERTIFICATE KEY ROUND-TRIP-IN-MS
// Prints "PORT CONTROL-PORT" and serves until standard input ends. On the control port, in plain text without delay:
// /reset, and /stats for what came since, as JSON.
package main

import (
	"bufio"
	"crypto/md5"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ---- a long network --------------------------------------------------------------------------------------------

type parcel struct {
	data []byte
	err  error
	due  time.Time
}

type slowConn struct {
	net.Conn
	half    time.Duration
	in, out chan parcel
	rest    []byte
	failed  error
	mu      sync.Mutex
	closed  bool
}

func slow(c net.Conn, half time.Duration) net.Conn {
	s := &slowConn{Conn: c, half: half, in: make(chan parcel, 1024), out: make(chan parcel, 4096)}
	begun := time.Now().Add(2 * half) // the client may speak when the answer to its SYN has come
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := c.Read(buf)
			at := time.Now()
			if at.Before(begun) {
				at = begun
			}
			s.in <- parcel{buf[:n], err, at.Add(half)}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		for p := range s.out {
			time.Sleep(time.Until(p.due))
			if p.data == nil {
				c.Close()
			} else if _, err := c.Write(p.data); err != nil {
				c.Close()
			}
		}
	}()
	return s
}

func (s *slowConn) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.failed != nil {
			return 0, s.failed
		}
		p := <-s.in
		time.Sleep(time.Until(p.due))
		s.rest, s.failed = p.data, p.err
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *slowConn) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	s.out <- parcel{data: append([]byte{}, b...), due: time.Now().Add(s.half)}
	return len(b), nil
}

func (s *slowConn) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.out <- parcel{due: time.Now().Add(s.half)}
		close(s.out)
	}
	return nil
}

func (s *slowConn) SetDeadline(time.Time) error      { return nil }
func (s *slowConn) SetReadDeadline(time.Time) error  { return nil }
func (s *slowConn) SetWriteDeadline(time.Time) error { return nil }

type slowListener struct {
	net.Listener
	half time.Duration
	s    *server
}

func (l *slowListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.s.count(func(t *stats) { t.Connections++ })
	if l.half == 0 {
		return c, nil
	}
	return slow(c, l.half), nil
}

// ---- objects ---------------------------------------------------------------------------------------------------

type object struct {
	data []byte
	etag string
}

type stats struct {
	Requests, Get, Head, Put, Delete, List, Other, Connections, Missing int
	InFlight, MostInFlight                                              int
	BytesOut                                                            int64
}

type server struct {
	mu      sync.RWMutex
	objects map[string]object // by bucket/key
	sorted  []string          // nil: to be made
	smu     sync.Mutex
	stats   stats
}

func (s *server) count(f func(*stats)) {
	s.smu.Lock()
	f(&s.stats)
	s.smu.Unlock()
}

func fault(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s</Message></Error>`, code, code)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.count(func(t *stats) {
		t.Requests++
		t.InFlight++
		if t.InFlight > t.MostInFlight {
			t.MostInFlight = t.InFlight
		}
	})
	defer s.count(func(t *stats) { t.InFlight-- })
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case key == "" && r.Method == "GET" && !r.URL.Query().Has("location"):
		s.count(func(t *stats) { t.List++ })
		s.list(w, r, bucket)
	case key == "" && r.Method == "POST":
		s.count(func(t *stats) { t.Delete++ })
		s.deleteMany(w, r, bucket)
	case key == "":
		s.count(func(t *stats) { t.Other++ })
		w.Header().Set("x-amz-bucket-region", "us-east-1")
	case r.Method == "GET" || r.Method == "HEAD":
		s.get(w, r, bucket+"/"+key)
	case r.Method == "PUT":
		s.count(func(t *stats) { t.Put++ })
		s.put(w, r, bucket+"/"+key)
	case r.Method == "DELETE":
		s.count(func(t *stats) { t.Delete++ })
		s.mu.Lock()
		delete(s.objects, bucket+"/"+key)
		s.sorted = nil
		s.mu.Unlock()
		w.WriteHeader(204)
	default:
		s.count(func(t *stats) { t.Other++ })
		fault(w, 501, "NotImplemented")
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request, path string) {
	s.mu.RLock()
	o, found := s.objects[path]
	s.mu.RUnlock()
	s.count(func(t *stats) {
		if r.Method == "HEAD" {
			t.Head++
		} else {
			t.Get++
		}
		if !found {
			t.Missing++
		}
	})
	if !found {
		fault(w, 404, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", o.etag)
	w.Header().Set("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")
	w.Header().Set("Content-Type", "binary/octet-stream")
	first, last, status := 0, len(o.data)-1, 200
	if spec, is := strings.CutPrefix(r.Header.Get("Range"), "bytes="); is {
		from, to, _ := strings.Cut(spec, "-")
		if from == "" {
			n, _ := strconv.Atoi(to)
			first = max(0, len(o.data)-n)
		} else {
			first, _ = strconv.Atoi(from)
			if n, err := strconv.Atoi(to); err == nil {
				last = min(last, n)
			}
		}
		if first > last {
			fault(w, 416, "InvalidRange")
			return
		}
		status = 206
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(o.data)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(last-first+1))
	w.WriteHeader(status)
	if r.Method == "GET" {
		w.Write(o.data[first : last+1])
		s.count(func(t *stats) { t.BytesOut += int64(last - first + 1) })
	}
}

// The body as it is, also where the client cut it into signed pieces.
func body(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("x-amz-content-sha256"), "STREAMING") {
		return io.ReadAll(r.Body)
	}
	var out []byte
	in := bufio.NewReader(r.Body)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return out, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if err != nil || n == 0 {
			io.Copy(io.Discard, in)
			return out, err
		}
		piece := make([]byte, n+2)
		if _, err := io.ReadFull(in, piece); err != nil {
			return out, err
		}
		out = append(out, piece[:n]...)
	}
}

func (s *server) put(w http.ResponseWriter, r *http.Request, path string) {
	data, err := body(r)
	if err != nil {
		fault(w, 400, "IncompleteBody")
		return
	}
	sum := md5.Sum(data)
	o := object{data, `"` + hex.EncodeToString(sum[:]) + `"`}
	s.mu.Lock()
	_, there := s.objects[path]
	if refused := there && r.Header.Get("If-None-Match") == "*"; refused {
		s.mu.Unlock()
		fault(w, 412, "PreconditionFailed")
		return
	}
	s.objects[path] = o
	s.sorted = nil
	s.mu.Unlock()
	w.Header().Set("ETag", o.etag)
}

func (s *server) deleteMany(w http.ResponseWriter, r *http.Request, bucket string) {
	var wanted struct {
		Object []struct{ Key string }
	}
	data, _ := io.ReadAll(r.Body)
	xml.Unmarshal(data, &wanted)
	s.mu.Lock()
	for _, o := range wanted.Object {
		delete(s.objects, bucket+"/"+o.Key)
	}
	s.sorted = nil
	s.mu.Unlock()
	fmt.Fprint(w, `<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></DeleteResult>`)
}

func (s *server) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted == nil {
		s.sorted = make([]string, 0, len(s.objects))
		for k := range s.objects {
			s.sorted = append(s.sorted, k)
		}
		sort.Strings(s.sorted)
	}
	return s.sorted
}

func (s *server) list(w http.ResponseWriter, r *http.Request, bucket string) {
	q := r.URL.Query()
	prefix, delimiter, after := bucket+"/"+q.Get("prefix"), q.Get("delimiter"), q.Get("start-after")
	if t, err := base64.URLEncoding.DecodeString(q.Get("continuation-token")); err == nil && len(t) > 0 {
		after = string(t)
	}
	most, err := strconv.Atoi(q.Get("max-keys"))
	if err != nil || most > 1000 {
		most = 1000
	}
	var out strings.Builder
	keys, n, last, more := s.keys(), 0, "", false
	for i := sort.SearchStrings(keys, prefix); i < len(keys) && strings.HasPrefix(keys[i], prefix); i++ {
		name, leaf := keys[i], true
		if at := strings.Index(name[len(prefix):], delimiter); delimiter != "" && at >= 0 {
			name, leaf = name[:len(prefix)+at+len(delimiter)], false
		}
		short := name[len(bucket)+1:]
		if name == last || short <= after && after != "" {
			continue
		}
		if n == most {
			more = true
			break
		}
		n, last = n+1, name
		if leaf {
			s.mu.RLock()
			o := s.objects[name]
			s.mu.RUnlock()
			fmt.Fprintf(&out, "<Contents><Key>%s</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified><ETag>%s</ETag><Size>%d</Size>"+
				"<StorageClass>STANDARD</StorageClass></Contents>", html.EscapeString(short), html.EscapeString(o.etag), len(o.data))
		} else {
			fmt.Fprintf(&out, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", html.EscapeString(short))
		}
	}
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`+
		"<Name>%s</Name><Prefix>%s</Prefix><KeyCount>%d</KeyCount><MaxKeys>%d</MaxKeys><IsTruncated>%v</IsTruncated>",
		bucket, html.EscapeString(q.Get("prefix")), n, most, more)
	if more {
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", base64.URLEncoding.EncodeToString([]byte(last[len(bucket)+1:])))
	}
	io.WriteString(w, out.String()+"</ListBucketResult>")
}

// ---- ------------------------------------------------------------------------------------------------------------

func (s *server) control(w http.ResponseWriter, r *http.Request) {
	s.smu.Lock()
	defer s.smu.Unlock()
	if r.URL.Path == "/reset" {
		s.stats = stats{InFlight: s.stats.InFlight}
	}
	json.NewEncoder(w).Encode(s.stats)
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return l
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: s3server CERTIFICATE KEY ROUND-TRIP-IN-MS")
		os.Exit(2)
	}
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ms, _ := strconv.ParseFloat(os.Args[3], 64)
	s := &server{objects: map[string]object{}}
	main, control := listen(), listen()
	// HTTP/1.1 alone, as S3 has it; sessions may be resumed.
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}
	slowed := &slowListener{main, time.Duration(ms * float64(time.Millisecond) / 2), s}
	go (&http.Server{Handler: s, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}).Serve(tls.NewListener(slowed, config))
	go http.Serve(control, http.HandlerFunc(s.control))
	fmt.Println(main.Addr().(*net.TCPAddr).Port, control.Addr().(*net.TCPAddr).Port)
	io.Copy(io.Discard, os.Stdin)
}
