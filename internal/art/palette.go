package art

// palette is a colour scheme: a background, three accents, and an ink that is readable on the
// background.
type palette struct {
	ground, ink rgb
	a, b, c     rgb
}

var palettes = []palette{
	{web(0x0f1626), web(0xf4ead5), web(0xff6b35), web(0xf7c59f), web(0x2f5d8a)}, // harbour at night
	{web(0xf6efe2), web(0x26211c), web(0xd9593d), web(0xe9b44c), web(0x2a6f77)}, // sunlit plaster
	{web(0x1d1030), web(0xfbe4ff), web(0xff4d8d), web(0x8a4fff), web(0x2de2e6)}, // neon
	{web(0xeae4d3), web(0x1f2a24), web(0x47715c), web(0xc9a24b), web(0x8c3b2e)}, // moss
	{web(0x10231f), web(0xeef4e8), web(0x3fa37c), web(0xe8d27a), web(0x1f5f6b)}, // fir
	{web(0xfbe9e1), web(0x3b1e2b), web(0xe8697d), web(0xf5a97f), web(0x7a4a7c)}, // rose
	{web(0x14213d), web(0xfdf6e3), web(0xfca311), web(0xe5e5e5), web(0x3d5a98)}, // brass
	{web(0xe8f1f2), web(0x13293d), web(0x247ba0), web(0x70c1b3), web(0xf25f5c)}, // sea air
	{web(0x2b1b17), web(0xf8e9d2), web(0xc8553d), web(0xf28f3b), web(0x588b8b)}, // ember
	{web(0xf3f0ff), web(0x231942), web(0x7161ef), web(0xb79ced), web(0xef8fb5)}, // lilac
	{web(0x0b132b), web(0xe9f5f9), web(0x5bc0be), web(0x9fe7e0), web(0x3a506b)}, // deep water
	{web(0xfff4d6), web(0x2d2a32), web(0xf4845f), web(0xf7b267), web(0x4f9d9d)}, // apricot
	{web(0x231c35), web(0xffe8d6), web(0xf2545b), web(0xf7b32b), web(0x6457a6)}, // dusk
	{web(0xdfe8e0), web(0x22333b), web(0x5e8c7a), web(0xd8a47f), web(0x31572c)}, // sage
	{web(0x111111), web(0xf5f1e8), web(0xe63946), web(0xf1c453), web(0x5c677d)}, // stage
	{web(0xf1ece6), web(0x1b1b1e), web(0x1d4e89), web(0xf26419), web(0xf6ae2d)}, // studio
	{web(0x1b2a41), web(0xfdf0ed), web(0xf7a9a8), web(0xfcd5ce), web(0x6d83b3)}, // first snow
	{web(0xfdf7f0), web(0x33272a), web(0x8b5e83), web(0xd7a3a8), web(0x5f8a8b)}, // faded letter
}

func (p palette) dark() bool { return p.ground.luma() < 0.5 }

// colours returns the accents.
func (p palette) colours() [3]rgb { return [3]rgb{p.a, p.b, p.c} }
