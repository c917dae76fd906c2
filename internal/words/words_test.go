package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"waxwing/internal/testenv"
	"waxwing/internal/words"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// languages lists texts with what each becomes. The sort key is the fold unless it is given.
var languages = map[string][]struct {
	text, fold, sortKey string
	tokens              []string
}{
	"Japanese": {
		{text: "がか", fold: "がか", tokens: []string{"がか", "か"}},
		{text: "ｶﾞｰﾙ", fold: "ガール", tokens: []string{"ガー", "ール", "ル"}},
		{text: "は\u3099ん\u309aと", fold: "ばん゚と", tokens: []string{"ばん", "ん゚", "゚と", "と"}},
		{text: "上を向いて", fold: "上を向いて", tokens: []string{"上を", "を向", "向い", "いて", "て"}},
		{text: "ＹＭＯ／千のナイフ", fold: "ymo/千のナイフ", tokens: []string{"ymo", "千の", "のナ", "ナイ", "イフ", "フ"}},
	},
	"Hindi": {
		{text: "लता मंगेशकर", fold: "लता मंगेशकर", tokens: []string{"लता", "मंगेशकर"}},
		{text: "कि की", fold: "कि की", tokens: []string{"कि", "की"}},
		{text: "\u095bिन्दगी", fold: "ज\u093cिन्दगी", tokens: []string{"ज\u093cिन्दगी"}}, // nukta
		{text: "श्\u200dरी", fold: "श्री", tokens: []string{"श्री"}},                     // a joiner has no sound
	},
	"Arabic": {
		{text: "أم كلثوم", fold: "ام كلثوم", tokens: []string{"ام", "كلثوم"}},
		{text: "إنت عمري", fold: "انت عمري", tokens: []string{"انت", "عمري"}},
		{text: "آه ٱلحب", fold: "اه الحب", tokens: []string{"اه", "الحب"}},
		{text: "مُحَمَّد عَبْدُه", fold: "محمد عبده", tokens: []string{"محمد", "عبده"}},
		{text: "فيـــروز", fold: "فيروز", tokens: []string{"فيروز"}},
		{text: "فرقة على", fold: "فرقه علي", tokens: []string{"فرقه", "علي"}},
		{text: "مؤمن رئيس", fold: "مؤمن رئيس", tokens: []string{"مؤمن", "رئيس"}},
		{text: "گوگوش\u200cها", fold: "گوگوش\u200cها", tokens: []string{"گوگوش", "ها", "گوگوشها"}},
	},
	"Turkish": {
		{text: "İSTANBUL", fold: "istanbul", tokens: []string{"istanbul"}},
		{text: "ISTANBUL", fold: "istanbul", tokens: []string{"istanbul"}},
		{text: "ıstanbul", fold: "istanbul", tokens: []string{"istanbul"}},
		{text: "i̇stanbul", fold: "istanbul", tokens: []string{"istanbul"}},
		{text: "Barış Manço", fold: "baris manco", tokens: []string{"baris", "manco"}},
		{text: "Şebnem Ferah'ın Ğ", fold: "sebnem ferah'in g", tokens: []string{"sebnem", "ferah", "in", "ferahin", "g"}},
	},
	"German": {
		{text: "Straße", fold: "strasse", tokens: []string{"strasse"}},
		{text: "STRAẞE", fold: "strasse", tokens: []string{"strasse"}},
		{text: "Die Ärzte", fold: "die arzte", tokens: []string{"die", "arzte"}},
		{text: "Ko\u0308ln", fold: "koln", tokens: []string{"koln"}},
		{text: "„Fünf–Zwei“", fold: `"funf-zwei"`, sortKey: `funf-zwei"`, tokens: []string{"funf", "zwei", "funfzwei"}},
	},
	"Vietnamese": {
		{text: "Nguyễn Đình Tiệp", fold: "nguyen dinh tiep", tokens: []string{"nguyen", "dinh", "tiep"}},
		{text: "ĐƯỜNG ta đi", fold: "duong ta di", tokens: []string{"duong", "ta", "di"}},
		{text: "Nhu\u031b\u0303ng", fold: "nhung", tokens: []string{"nhung"}},
	},
	"others": {
		{text: "The Beatles", fold: "the beatles", sortKey: "beatles", tokens: []string{"the", "beatles"}},
		{text: "AC/DC", fold: "ac/dc", tokens: []string{"ac", "dc", "acdc"}},
		{text: "Guns N` Roses", fold: "guns n' roses", tokens: []string{"guns", "n", "roses"}},
		{text: "Hawaiʻi’s", fold: "hawai'i's", tokens: []string{"hawai", "i", "s", "hawaiis"}},
		{text: "Ἀχιλλεύς", fold: "αχιλλευσ", tokens: []string{"αχιλλευσ"}},
		{text: "Пётр Й", fold: "петр и", tokens: []string{"петр", "и"}},
		{text: "שָׁלוֹם", fold: "שלום", tokens: []string{"שלום"}},
		{text: "ﬁne Ænima", fold: "fine aenima", tokens: []string{"fine", "aenima"}},
		{text: "사랑을", fold: "사랑을", tokens: []string{"사랑", "랑을", "을"}},
		{text: "…!!!", fold: "...!!!"},
	},
}

func TestFoldTokensAndSortKeysByLanguage(t *testing.T) {
	for language, rows := range languages {
		t.Run(language, func(t *testing.T) {
			for _, row := range rows {
				if got := words.Fold(row.text); got != row.fold {
					t.Errorf("Fold(%q) = %q, want %q", row.text, got, row.fold)
				}
				if got := words.Tokens(row.text); !slices.Equal(got, row.tokens) {
					t.Errorf("Tokens(%q) = %q, want %q", row.text, got, row.tokens)
				}
				want := row.sortKey
				if want == "" {
					want = row.fold
				}
				if got := words.SortKey(row.text); got != want {
					t.Errorf("SortKey(%q) = %q, want %q", row.text, got, want)
				}
			}
		})
	}
}

func TestFoldKeepsDistinctLettersApart(t *testing.T) {
	for _, pair := range [][2]string{{"が", "か"}, {"ば", "ぱ"}, {"は", "ハ"}, {"कि", "की"}, {"क", "क्"}, {"ज", "ज़"},
		{"ก", "กี"}, {"مؤ", "مو"}} {
		if a, b := words.Fold(pair[0]), words.Fold(pair[1]); a == b {
			t.Errorf("Fold(%q) = Fold(%q) = %q, want them to differ", pair[0], pair[1], a)
		}
	}
}

func TestFoldIsIdempotent(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := anyText(r)
		once := words.Fold(text)
		if twice := words.Fold(once); twice != once {
			r.Fatalf("Fold(%q) = %q, folded again %q", text, once, twice)
		}
		if key := words.Key(text); words.Key(key) != key {
			r.Fatalf("Key(%q) = %q, its key is %q", text, key, words.Key(key))
		}
	})
}

// TestKeyOfAVersion1KeyIsTheKeyOfTheName holds because the catalog converts stored keys of version
// 1 without the names they were derived from.
func TestKeyOfAVersion1KeyIsTheKeyOfTheName(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := anyText(r)
		if got, want := words.Key(foldVersion1(text)), words.Key(text); got != want {
			r.Fatalf("text %q: got %q, want %q", text, got, want)
		}
	})
}

func TestTokensAreLimitedAndHaveNoSpaces(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := anyText(r)
		tokens := words.Tokens(text, text)
		if len(tokens) > words.TokensPerRow {
			r.Fatalf("%q has %d tokens", text, len(tokens))
		}
		for _, token := range tokens {
			if token == "" || strings.ContainsFunc(token, unicode.IsSpace) || strings.ContainsAny(token, `"'`) {
				r.Fatalf("%q has the token %q", text, token)
			}
		}
	})
}

// TestEveryTextMatchesItself checks that a query of a text's own words finds it.
func TestEveryTextMatchesItself(t *testing.T) {
	for _, rows := range languages {
		for _, row := range rows {
			if !words.Match(words.ParseQuery(row.text), words.Spaced(words.Tokens(row.text))) {
				t.Errorf("the query %q does not match its own tokens %q", row.text, words.Tokens(row.text))
			}
		}
	}
}

func TestSuggestFindsOneWrongLetter(t *testing.T) {
	list := []string{"beatles", "muller", "queen", "كلثوم"}
	slices.Sort(list)
	sorted := words.List{Len: len(list), At: func(i int) []byte { return []byte(list[i]) }}
	for word, want := range map[string]string{"beatels": "beatles", "mueller": "muller", "quen": "queen",
		"كلتوم": "كلثوم"} {
		if got := words.Suggest(word, false, sorted); !slices.Equal(got, []string{want}) {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := words.Suggest("qu", true, sorted); got != nil {
		t.Errorf("Suggest of two letters = %q, want nothing", got)
	}
}

// anyText draws text with many letters and marks of the scripts that Fold treats specially.
func anyText(r *rapid.T) string {
	special := rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew,
		unicode.Devanagari, unicode.Hiragana, unicode.Katakana, unicode.Mn, unicode.Cf, unicode.Hangul, unicode.Po,
		unicode.Sk)
	return rapid.StringOf(rapid.OneOf(special, rapid.Rune())).Draw(r, "text")
}

// foldVersion1 is the fold that the catalog used before version 2.
func foldVersion1(s string) string {
	letters := map[rune]string{
		'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ı': "i", 'ŋ': "ng",
		'ς': "σ",
		'’': "'", '‘': "'", '‛': "'", '`': "'", '´': "'", '“': `"`, '”': `"`, '„': `"`, '‐': "-", '‑': "-", '–': "-",
		'—': "-",
		'−': "-", '…': "...",
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.Join(strings.Fields(strings.ToLower(s)), " ")
	}
	var b strings.Builder
	var base rune
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) && unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			continue
		}
		base = r
		r = unicode.ToLower(r)
		if plain, ok := letters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(norm.NFC.String(b.String())), " ")
}

func BenchmarkTokens(b *testing.B) {
	for name, texts := range map[string][]string{
		"ascii":  {"Bohemian Rhapsody", "Queen", "A Night at the Opera"},
		"latin":  {"Hyperballad", "Björk", "Début en français"},
		"japan":  {"上を向いて歩こう", "坂本九", "ベスト"},
		"arabic": {"إنت عمري", "أم كلثوم", "أغاني"},
	} {
		b.Run("tokens/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				words.Tokens(texts...)
			}
		})
		b.Run("key/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, text := range texts {
					words.Key(text)
				}
			}
		})
	}
}
