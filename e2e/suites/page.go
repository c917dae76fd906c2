package main

import (
	"fmt"
	"strings"
	"time"
)

// markdown returns the page.
func markdown(suites []*suite, references []reference) string {
	var b strings.Builder
	var programs []string
	for _, r := range references {
		if r.version != "" {
			programs = append(programs, r.version)
		}
	}
	fmt.Fprintf(&b, `# Public suites

Written by `+"`make suites`"+` on %s. The suites are not part of this repository; each is a folder with a checkout.

Every audio file is decoded by our own decoders and compared, sample by sample, with the samples that the suite has
for it and with these programs: %s.
The best agreement counts. Decoders of lossy codecs may differ in length by up to 4,096 frames, and in where they begin
by one of the usual delays of encoders; the samples that both have are compared. FLAC also counts as exact if our
samples have the MD5 that the file declares.

- **exact**: every sample is equal.
- **one LSB**: no sample differs by more than 1/32,768 of full scale, one step of 16 bits.
- **lossy**: a lossy codec; the power of the difference is at most %.0f dBFS.
- **refused**: our decoders report an error, and no reference plays the file either.
- **ffmpeg**: a format that we leave to ffmpeg, which plays it.
- **ours only**: our decoders play it, and no reference does, or not all of it without a conversion: FLAC whose format
  changes, of which only the checksum of each frame was verified.
- **differs**: our samples differ from those of the references, for the reason given below.
- **wrong**: everything else.

| suite | files | exact | one LSB | lossy | refused | ffmpeg | ours only | differs | wrong |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`, time.Now().UTC().Format("2006-01-02 15:04 MST"), strings.Join(programs, "; "), lossyLimit)
	var sum [outcomes]int
	line := func(name string, counts [outcomes]int) {
		files := 0
		var cells strings.Builder
		for _, n := range counts {
			files += n
			fmt.Fprintf(&cells, " %d |", n)
		}
		fmt.Fprintf(&b, "| %s | %d |%s\n", name, files, cells.String())
	}
	for _, s := range suites {
		line(s.name, s.counts)
		for o, n := range s.counts {
			sum[o] += n
		}
	}
	line("**all**", sum)
	writeRemarks(&b, suites, differs, "Differs", "why")
	writeRemarks(&b, suites, wrong, "Wrong", "result")
	return b.String()
}

// writeRemarks lists the files with an outcome, and what is to be said about each.
func writeRemarks(b *strings.Builder, suites []*suite, o outcome, title, column string) {
	for _, s := range suites {
		if len(s.remarks[o]) > 0 {
			fmt.Fprintf(b, "\n## %s in %s\n\n| file | %s |\n|---|---|\n%s\n", title, s.name, column,
				strings.Join(s.remarks[o], "\n"))
		}
	}
}
