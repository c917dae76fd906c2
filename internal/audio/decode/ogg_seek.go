package decode

import (
	"errors"
	"fmt"
	"io"
)

// oggScan is how far pages are read one after the other before, or instead of, halving.
const oggScan = 128 << 10

// lastGranule returns the last position that the stream's pages between from and limit name.
func (r *oggReader) lastGranule(serial uint32, from, limit int64) (int64, error) {
	for end := limit; end > from; {
		start := max(from, end-oggScan)
		found := int64(-1)
		err := r.eachPage(start, end, func(p oggPage) bool {
			if p.serial == serial && p.granule >= 0 {
				found = p.granule
			}
			return true
		})
		if err != nil {
			return 0, err
		}
		if found >= 0 {
			return found, nil
		}
		end = start
	}
	return 0, fmt.Errorf("no page tells a position: %w", io.ErrUnexpectedEOF)
}

// eachPage calls visit with the pages that start within [from, limit) until it returns false.
func (r *oggReader) eachPage(from, limit int64, visit func(oggPage) bool) error {
	for {
		page, err := r.pageFrom(from, limit)
		if errors.Is(err, io.EOF) || errors.Is(err, errNoOggPage) {
			return nil
		}
		if err != nil {
			return err
		}
		if !visit(page) {
			return nil
		}
		from = page.end()
	}
}

// pageBefore returns the offset of the last page within [from, limit) of the stream
// whose position is at most granule, or from when there is none.
func (r *oggReader) pageBefore(serial uint32, from, limit, granule int64) (int64, error) {
	low, high := from, limit
	for high-low > oggScan {
		middle := low + (high-low)/2
		later, at := true, int64(0)
		err := r.eachPage(middle, high, func(p oggPage) bool {
			if p.serial != serial || p.granule < 0 {
				return true
			}
			later, at = p.granule > granule, p.offset
			return false
		})
		if err != nil {
			return 0, err
		}
		if later {
			high = middle
		} else {
			low = at
		}
	}
	found := low
	err := r.eachPage(low, limit, func(p oggPage) bool {
		if p.serial != serial || p.granule < 0 {
			return true
		}
		if p.granule > granule {
			return false
		}
		found = p.offset
		return true
	})
	return found, err
}

// linkEnd returns where the chain link that starts at offset 0 ends: the
// offset of the first page of a stream that is not announced at its beginning.
func (r *oggReader) linkEnd() (int64, error) {
	size := r.in.Size()
	announced := map[uint32]bool{}
	low := int64(0)
	err := r.eachPage(0, size, func(p oggPage) bool {
		if p.flags&oggFirst == 0 || len(announced) == 64 {
			return false
		}
		announced[p.serial] = true
		low = p.end()
		return true
	})
	if err != nil {
		return 0, err
	}

	// The usual file has one link, and its last page says so.
	single := true
	err = r.eachPage(max(0, size-oggScan), size, func(p oggPage) bool {
		single = announced[p.serial]
		return true
	})
	if err != nil || single {
		return size, err
	}

	high := size
	for high-low > oggScan {
		middle := low + (high-low)/2
		foreign := true
		err := r.eachPage(middle, high, func(p oggPage) bool {
			foreign = !announced[p.serial]
			return false
		})
		if err != nil {
			return 0, err
		}
		if foreign {
			high = middle
		} else {
			low = middle
		}
	}
	end := size
	err = r.eachPage(low, size, func(p oggPage) bool {
		if announced[p.serial] {
			return true
		}
		end = p.offset
		return false
	})
	return end, err
}
