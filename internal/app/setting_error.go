package app

import "fmt"

// SettingError is a setting with a value that cannot be used. The message names its flag and an
// example of a value that can.
type SettingError struct {
	Setting string // name of the flag, without dashes
	Message string
}

func (e *SettingError) Error() string { return e.Message }

func settingError(setting, format string, args ...any) error {
	return &SettingError{setting, fmt.Sprintf(format, args...)}
}
