package cataloghttp

import (
	"net/url"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/qrcode"
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
	rows, err := qrcode.Rows(link)
	return catalogapi.AppLink{URL: link, Qr: rows}, err
}
