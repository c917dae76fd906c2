package aac

import "fmt"

// pulses are up to four lines with values that exceed the range of their codebook.
type pulses struct {
	count int
	lines [4]int
	sizes [4]int32
}

func (p *pulses) read(r *bitReader, c *channel) error {
	p.count = 0
	if !r.flag() {
		return nil
	}
	if c.sequence == eightShort {
		return fmt.Errorf("%w: pulses in short windows", errDamaged)
	}
	count, band := r.read(2)+1, r.read(6)
	if band >= len(c.edges)-1 {
		return fmt.Errorf("%w: pulses in band %d", errDamaged, band)
	}
	line := c.edges[band]
	for i := range count {
		line += r.read(5)
		if line >= frameLines {
			return fmt.Errorf("%w: pulse at line %d", errDamaged, line)
		}
		p.lines[i], p.sizes[i] = line, int32(r.read(4))
	}
	p.count = count
	return nil
}

func (p *pulses) add(quantised []int32) {
	for i := range p.count {
		if line := &quantised[p.lines[i]]; *line > 0 {
			*line += p.sizes[i]
		} else {
			*line -= p.sizes[i]
		}
	}
}
