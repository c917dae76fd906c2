package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/ownersocket"
)

// socketURL is the address of requests through the control socket.
const socketURL = "http://localhost"

// socketPlayer returns a client that uses the control socket of a data folder. It needs no token.
func socketPlayer(dir app.DataDir) *client.Player {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := ownersocket.Dial(ctx, dir.File(app.ControlSocket))
		if err != nil {
			return nil, &client.Error{Err: err, Message: fmt.Sprintf(
				"no player is running from the data folder %s; start it with: waxwing", dir)}
		}
		return c, nil
	}
	return &client.Player{BaseURL: socketURL, HTTP: clientWith(dial)}
}

// portPlayer returns a client that uses a port. With verify, it checks on every connection that the
// server knows the token, before it sends the token there.
func portPlayer(addr, token string, verify bool) *client.Player {
	dial := (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	if !verify || token == "" {
		return &client.Player{BaseURL: "http://" + addr, Token: token, HTTP: clientWith(dial)}
	}
	return &client.Player{BaseURL: "http://" + addr, Token: token, HTTP: clientWith(
		func(ctx context.Context, network, to string) (net.Conn, error) {
			c, err := dial(ctx, network, to)
			if err != nil {
				return nil, err
			}
			if err := verifyServer(ctx, c, addr, token); err != nil {
				return nil, errors.Join(err, c.Close())
			}
			return c, nil
		})}
}

// clientWith uses no proxy: a proxy would receive the token.
func clientWith(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: dial}}
}

// identityTimeout limits the check of a server.
const identityTimeout = 10 * time.Second

// verifyServer checks that the server at the other end of c knows the token. Another program may
// have taken the port of a player that was killed.
func verifyServer(ctx context.Context, c net.Conn, addr, token string) error {
	hash, nonce := access.HashOf(token), rand.Text()
	body, err := json.Marshal(playerapi.IdentityRequest{Fingerprint: hash.Fingerprint(), Nonce: nonce})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/identity", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if at, ok := c.RemoteAddr().(*net.TCPAddr); ok && at.IP.IsLoopback() {
		req.Host = at.String() // not “localhost”, which is two addresses: another program may listen on one of them
	}
	req.Header.Set("Content-Type", "application/json")
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := c.SetDeadline(time.Now().Add(identityTimeout)); err != nil {
		return err
	}
	if err := req.Write(c); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, 64<<10)), req)
	if err != nil {
		return notVerified(addr, err)
	}
	defer resp.Body.Close()
	var reply playerapi.Identity
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return notVerified(addr, err)
	case resp.StatusCode == http.StatusUnauthorized && resp.Header.Get("X-Waxwing-Version") != "":
		return &client.Error{Status: http.StatusUnauthorized, Message: "this access token is unknown to the player at " +
			addr}
	case resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("X-Waxwing-Version") != "":
		return &client.Error{Status: resp.StatusCode, Message: "too many wrong credentials from this address; wait a minute"}
	case resp.StatusCode != http.StatusOK || json.Unmarshal(text, &reply) != nil ||
		!hash.VerifyIdentity(req.Host, nonce, reply.Signature):
		return notVerified(addr, nil)
	}
	return c.SetDeadline(time.Time{})
}

func notVerified(addr string, cause error) error {
	return &client.Error{Err: cause, Message: fmt.Sprintf("the program at %s is not the player that knows this token; "+
		"the token was not sent. If the player has crashed, stop that program and start: waxwing", addr)}
}
