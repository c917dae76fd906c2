package matroska

import "strings"

// Levels of a tag's target.
const (
	LevelTrack = 30
	LevelAlbum = 50
)

const maxTags = 4096

// Tag is one name and value. Level is what the value describes: LevelTrack, LevelAlbum, another
// number, or 0 when the file does not say.
type Tag struct {
	Level       int
	Name, Value string
}

// Picture is an image that is attached to the file.
type Picture struct {
	Name, MIME string
	Off, Size  int64
}

// readInfo reads the title of the segment.
func (r *reader) readInfo(info element) error {
	for e, err := range children(r.Reader, info) {
		if err != nil {
			return err
		}
		if e.id == idTitle {
			title, err := text(r.Reader, e)
			if err != nil {
				return err
			}
			r.addTag(Tag{0, "SEGMENT_TITLE", title})
		}
	}
	return nil
}

func (r *reader) readTags(list element) error {
	for tag, err := range children(r.Reader, list) {
		if err != nil {
			return err
		}
		if tag.id != idTag || r.visit.Tag == nil {
			continue
		}
		if err := r.readTag(tag); err != nil {
			return err
		}
	}
	return nil
}

// readTag reads the values that have one target. Those of other tracks are left out.
func (r *reader) readTag(tag element) error {
	level := 0
	for e, err := range children(r.Reader, tag) {
		if err != nil {
			return err
		}
		switch e.id {
		case idTargets:
			ours, n, err := r.readTargets(e)
			if err != nil || !ours {
				return err
			}
			level = n
		case idSimpleTag:
			if err := r.readSimpleTag(e, level); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readTargets(targets element) (ours bool, level int, err error) {
	ours = true
	for e, err := range children(r.Reader, targets) {
		if err != nil {
			return false, 0, err
		}
		if e.id != idTargetValue && e.id != idTagTrackUID {
			continue
		}
		v, err := integer(r.Reader, e)
		if err != nil {
			return false, 0, err
		}
		if e.id == idTargetValue {
			level = int(min(v, 1000))
		} else {
			ours = v == 0 || !r.found || v == r.file.uid
		}
	}
	return ours, level, nil
}

func (r *reader) readSimpleTag(tag element, level int) (err error) {
	t := Tag{Level: level}
	for e, err := range children(r.Reader, tag) {
		if err != nil {
			return err
		}
		switch e.id {
		case idTagName:
			t.Name, err = text(r.Reader, e)
		case idTagString:
			t.Value, err = text(r.Reader, e)
		}
		if err != nil {
			return err
		}
	}
	r.addTag(t)
	return nil
}

func (r *reader) addTag(t Tag) {
	if t.Name != "" && t.Value != "" && len(r.tags) < maxTags && r.visit.Tag != nil {
		r.tags = append(r.tags, t)
	}
}

// reportTags passes on the tags of the track before those of the album, and the title of the
// segment last.
func (r *reader) reportTags() {
	for _, pass := range []func(Tag) bool{
		func(t Tag) bool { return t.Level == LevelTrack },
		func(t Tag) bool { return t.Level != LevelTrack && t.Name != "SEGMENT_TITLE" },
		func(t Tag) bool { return t.Level != LevelTrack && t.Name == "SEGMENT_TITLE" },
	} {
		for _, t := range r.tags {
			if pass(t) {
				r.visit.Tag(t)
			}
		}
	}
}

func (r *reader) readAttachments(list element) error {
	if r.visit.Picture == nil {
		return nil
	}
	for file, err := range children(r.Reader, list) {
		if err != nil {
			return err
		}
		if file.id != idFile {
			continue
		}
		var p Picture
		for e, err := range children(r.Reader, file) {
			if err != nil {
				return err
			}
			switch e.id {
			case idFileName:
				p.Name, err = text(r.Reader, e)
			case idMIME:
				p.MIME, err = text(r.Reader, e)
			case idFileData:
				p.Off, p.Size = e.start, e.size()
			}
			if err != nil {
				return err
			}
		}
		if strings.HasPrefix(p.MIME, "image/") {
			r.visit.Picture(p)
		}
	}
	return nil
}
