package cataloghttp

import (
	"fmt"
	"net/url"

	"rsc.io/qr"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
)

// withSecret returns the reply with the secret of a key. own is the key of the caller.
func (s *server) withSecret(k, own catalog.Key, secret string) (catalogapi.KeyWithSecret, error) {
	reply := catalogapi.KeyWithSecret{Secret: secret, Key: wireKey(k, own.ID)}
	if !k.App || s.cfg.Apps.URL == nil {
		return reply, nil
	}
	link, err := appLink(*s.cfg.Apps.URL, k.Owner.Username, secret)
	reply.Link = &link
	return reply, err
}

// appLink returns a link to the page that shows the login of an app. The login is in the fragment,
// which no server receives.
func appLink(address, user, secret string) (catalogapi.AppLink, error) {
	link := address + "/connect#" + url.Values{"user": {user}, "secret": {secret}}.Encode()
	code, err := qr.Encode(link, qr.M)
	if err != nil {
		return catalogapi.AppLink{}, fmt.Errorf("encode a QR code: %w", err)
	}
	rows := make([]string, code.Size)
	for y := range rows {
		row := make([]byte, code.Size)
		for x := range row {
			row[x] = '0'
			if code.Black(x, y) {
				row[x] = '1'
			}
		}
		rows[y] = string(row)
	}
	return catalogapi.AppLink{URL: link, Qr: rows}, nil
}
