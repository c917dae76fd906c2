package audio

// The speakers of WAVE's channel mask. Channels are stored in the order of these bits.
const (
	FrontLeft = 1 << iota
	FrontRight
	FrontCenter
	LowFrequency
	BackLeft
	BackRight
	FrontLeftOfCenter
	FrontRightOfCenter
	BackCenter
	SideLeft
	SideRight
)
