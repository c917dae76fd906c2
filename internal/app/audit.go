package app

import (
	"waxwing/internal/audit"
	"waxwing/internal/fault"
)

// openAudit opens the audit log. A server does not start with a configured log that it cannot
// write.
func (a *App) openAudit() (err error) {
	path := a.cfg.AuditFile
	if path == "" {
		return nil
	}
	a.audit, err = audit.Open(path, a.log)
	switch {
	case err == nil:
		a.onRelease(a.audit.Close)
		return nil
	case path == a.cfg.DataDir.File(AuditFile):
		return fault.Wrap(fault.Unavailable, err, "cannot write the audit log of the data folder %s; "+
			"check its disk and permissions, or choose another file with --audit FILE", a.cfg.DataDir)
	}
	return settingError("audit", "--audit: %v; choose a file that this account can write, "+
		"for example --audit /var/log/waxwing/audit.log, or --audit off", err)
}
