// Package lrclib reads lyrics from a server with the API of LRCLIB. The server is not trusted: the
// time, the size and the redirects of a request are bounded.
package lrclib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/lyrics"
)

const (
	// Timeout is the longest time of one request.
	Timeout = 5 * time.Second
	// maxReply is the size of the longest reply that is read, in bytes.
	maxReply = 512 << 10
	// maxRedirects is the number of redirects, within the server, that a request follows.
	maxRedirects = 3
)

// Song is what the server is told about a song. Title and Artist are required.
type Song struct {
	Title, Artist, Album string
	Duration             time.Duration // 0: unknown
}

// ReplyError is a reply that cannot be used. The server may still reply to other requests.
type ReplyError struct{ Reason string }

func (e *ReplyError) Error() string { return e.Reason }

// Client requests lyrics from one server. It sends no cookies and uses no proxy.
type Client struct {
	get   string // URL
	agent string
	http  *http.Client
}

// New returns a client of the server at a URL, to which /api/get is appended.
func New(base, version string) *Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // a proxy would learn what is played
	t.MaxResponseHeaderBytes = 64 << 10
	t.MaxConnsPerHost = 2
	return &Client{
		get: strings.TrimSuffix(base, "/") + "/api/get", agent: "Waxwing/" + version,
		http: &http.Client{Transport: t, Timeout: Timeout, CheckRedirect: checkRedirect},
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func checkRedirect(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return errors.New("the lyrics server redirects to another host; if you trust that one, use its URL")
	}
	if len(via) > maxRedirects {
		return errors.New("the lyrics server redirects too often")
	}
	return nil
}

// Ping checks that the server replies, with whatever status. It sends no data about songs.
func (c *Client) Ping(ctx context.Context) error {
	resp, err := c.send(ctx, c.get)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Find returns the text of a song: a synced one if there is one. ok is false if the server has no
// text. An error other than a ReplyError means that the server cannot be used now.
func (c *Client) Find(ctx context.Context, song Song) (text lyrics.Text, ok bool, err error) {
	query := url.Values{"track_name": {song.Title}, "artist_name": {song.Artist}}
	if song.Album != "" {
		query.Set("album_name", song.Album)
	}
	if song.Duration > 0 {
		query.Set("duration", strconv.FormatInt(int64(song.Duration.Round(time.Second)/time.Second), 10))
	}
	resp, err := c.send(ctx, c.get+"?"+query.Encode())
	if err != nil {
		return text, false, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return text, false, nil
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return text, false, fmt.Errorf("the lyrics server replied with status %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return text, false, &ReplyError{fmt.Sprintf("the lyrics server replied with status %d", resp.StatusCode)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return text, false, withoutQuery(err)
	}
	if len(body) > maxReply {
		return text, false, &ReplyError{fmt.Sprintf("the reply of the lyrics server is larger than %d KB", maxReply>>10)}
	}
	return parse(body)
}

// parse reads the body of a reply.
func parse(body []byte) (text lyrics.Text, ok bool, err error) {
	var found struct{ SyncedLyrics, PlainLyrics *string }
	if err := json.Unmarshal(body, &found); err != nil {
		return text, false, &ReplyError{"the reply of the lyrics server is not the JSON of LRCLIB"}
	}
	for _, content := range []*string{found.SyncedLyrics, found.PlainLyrics} {
		if content == nil {
			continue
		}
		if len(lyrics.Parse(*content).Lines) > 0 {
			return lyrics.Text{Source: lyrics.Online, Text: *content}, true, nil
		}
	}
	return text, false, nil
}

func (c *Client) send(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, withoutQuery(err)
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutQuery(err)
	}
	return resp, nil
}

// withoutQuery returns an error without the URL, whose query is not for logs.
func withoutQuery(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
