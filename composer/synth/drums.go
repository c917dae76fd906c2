package synth

import "math"

// Kick is a sine that falls quickly to its resting pitch, with a click to be found by.
type Kick struct{ Rest, Drop, Fall, Decay, Click float64 }

// The bass drums of this record.
var (
	ClubKick = Kick{Rest: 47, Drop: 150, Fall: 0.035, Decay: 0.16, Click: 0.22}.Play
	SoftKick = Kick{Rest: 52, Drop: 70, Fall: 0.03, Decay: 0.12, Click: 0.05}.Play
	ChipKick = Kick{Rest: 55, Drop: 260, Fall: 0.02, Decay: 0.07, Click: 0.1}.Play
)

// Play is the drum as an Instrument.
func (k Kick) Play(rate float64, t Tone) Stereo {
	hold := 4 * k.Decay
	envelope := Envelope{Attack: 0.0015, Decay: k.Decay, Release: 0.05}
	out := make([]float64, frames(rate, hold+envelope.Release))
	click := NewFilter(rate, 2600, 0)
	var o oscillator
	for i := range out {
		s := float64(i) / rate
		y := math.Sin(tau * o.step((k.Rest+k.Drop*math.Exp(-s/k.Fall))/rate))
		y += k.Click * math.Exp(-s/0.004) * click.Low(t.Rand.Both())
		out[i] = 0.95 * t.Velocity * envelope.At(s, hold) * math.Tanh(1.3*y)
	}
	return Mono(out)
}

// Noise is a drum made of filtered chance: Low and High bound its band, Rise and Decay
// its shape, Skin adds a pitched head at Pitch, Wide makes the sides differ.
type Noise struct {
	Low, High   float64
	Rise, Decay float64
	Skin, Pitch float64
	Gain        float64
	Wide        bool
}

// The noises of this record.
var (
	Hat        = Noise{Low: 7000, High: 13000, Rise: 0.0008, Decay: 0.028, Gain: 0.5}.Play
	OpenHat    = Noise{Low: 6500, High: 12000, Rise: 0.001, Decay: 0.11, Gain: 0.42}.Play
	Shaker     = Noise{Low: 4800, High: 9500, Rise: 0.022, Decay: 0.035, Gain: 0.4}.Play
	DustySnare = Noise{Low: 700, High: 4200, Rise: 0.001, Decay: 0.075, Skin: 0.6, Pitch: 186, Gain: 0.8}.Play
	Clap       = Noise{Low: 900, High: 3600, Rise: 0.006, Decay: 0.085, Gain: 0.95, Wide: true}.Play
	BrushTap   = Noise{Low: 1100, High: 6000, Rise: 0.003, Decay: 0.055, Skin: 0.18, Pitch: 215, Gain: 0.6}.Play
	BrushSwirl = Noise{Low: 1600, High: 5200, Rise: 0.16, Decay: 0.12, Gain: 0.26, Wide: true}.Play
	Tick       = Noise{Low: 2400, High: 5200, Rise: 0.0006, Decay: 0.008, Skin: 0.35, Pitch: 1710, Gain: 0.7}.Play
)

// Play is the noise as an Instrument.
func (d Noise) Play(rate float64, t Tone) Stereo {
	hold := d.Rise + 4.5*d.Decay
	envelope := Envelope{Attack: d.Rise, Decay: d.Decay, Release: 0.03}
	out := Stereo{L: d.side(rate, t, hold, envelope)}
	out.R = out.L
	if d.Wide {
		out.R = d.side(rate, t, hold, envelope)
	}
	return out
}

func (d Noise) side(rate float64, t Tone, hold float64, envelope Envelope) []float64 {
	out := make([]float64, frames(rate, hold+envelope.Release))
	low, high := NewFilter(rate, d.High*(0.75+0.25*t.Velocity), 0), NewFilter(rate, d.Low, 0)
	var skin oscillator
	for i := range out {
		s := float64(i) / rate
		y := high.High(low.Low(t.Rand.Both()))
		y += d.Skin * math.Exp(-s/(0.7*d.Decay)) * math.Sin(tau*skin.step(d.Pitch*(1+0.3*math.Exp(-s/0.012))/rate))
		out[i] = d.Gain * t.Velocity * envelope.At(s, hold) * y
	}
	return out
}

// Ride is a cymbal: modes that fit no scale under a thin wash, struck with a stick.
func Ride(rate float64, t Tone) Stereo {
	const ring = 1.1
	envelope := Envelope{Attack: 0.001, Decay: 0.32, Release: 0.25}
	out := Silence(frames(rate, ring))
	for k, freq := range [...]float64{411, 1187, 2043, 2911, 3467, 4409, 5233, 6121, 7340, 8227} {
		level := 0.024 * t.Velocity
		decay := 1.2 / (1 + 0.15*float64(k))
		partial{freq, level, decay, tau * t.Rand.Unit()}.add(rate, out.L)
		partial{freq * 1.004, level, decay, tau * t.Rand.Unit()}.add(rate, out.R)
	}
	wash := NewFilter(rate, 5600, 0)
	for i := range out.L {
		s := float64(i) / rate
		y := wash.High(t.Rand.Both()) * t.Velocity * (0.045*math.Exp(-s/0.3) + 0.16*math.Exp(-s/0.012))
		out.L[i] = (out.L[i] + y) * envelope.At(s, ring-envelope.Release)
		out.R[i] = (out.R[i] + y) * envelope.At(s, ring-envelope.Release)
	}
	return out
}
