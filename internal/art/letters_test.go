package art

import "testing"

func TestInitialsOfEveryScriptAreDrawn(t *testing.T) {
	for name, want := range map[string]string{
		"The Demos": "D", "Sơn Tùng": "ST", "Ελένη Καρ": "ΕΚ", "Анна Герман": "АГ", "فيروز الصباح": "ف",
		"אהבה בסוף": "א", "วงกลม": "ว", "เพลงรัก": "พ", "अरिजीत सिंह": "अ", "夜に駆ける": "夜", "あいみょん": "あ",
		"방탄소년단": "방", "რუსთავი": "Რ", "Կոմիտաս": "Կ", "ኣስቴር": "ኣ", "தமிழ்": "த", "বাউল": "ব", "ਪੰਜਾਬੀ": "ਪ",
	} {
		got := initials(name)
		if got != want {
			t.Errorf("initials of %q: got %q, want %q", name, got, want)
		}
		if initialFace(got, 40) == nil {
			t.Errorf("initials of %q: no font has %q", name, got)
		}
	}
}
