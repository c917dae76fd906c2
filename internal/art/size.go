package art

import "waxwing/internal/fault"

// Size is the side in pixels of the square into which a picture is scaled down; Original is not
// scaled.
type Size int

// The sizes that are served.
const (
	Original  Size = 0
	Thumbnail Size = 96
	Small     Size = 300
	Medium    Size = 600
	Largest   Size = 1200
)

// ParseSize parses the size parameter of a cover URL. An empty one means the original.
func ParseSize(s string) (Size, error) {
	switch s {
	case "", "original":
		return Original, nil
	case "96":
		return Thumbnail, nil
	case "300":
		return Small, nil
	case "600":
		return Medium, nil
	case "1200":
		return Largest, nil
	}
	return 0, fault.New(fault.Invalid, "size must be 96, 300, 600, 1200 or original")
}
