package words

import "strings"

// Transliterate writes Latin, Greek, Cyrillic, kana and hangul in lower-case ASCII, one letter or
// syllable at a time. Other characters stay as Fold leaves them.
func Transliterate(s string) string {
	var b strings.Builder
	double := false // after a small tsu, which doubles the next consonant
	for _, r := range Fold(s) {
		word, ok := latin[r]
		switch {
		case r == 'っ' || r == 'ッ':
			double = true
			continue
		case 'ァ' <= r && r <= 'ヶ':
			word, ok = latin[r-('ァ'-'ぁ')]
		case '가' <= r && r <= '힣':
			word, ok = romanize(r), true
		case r == 'ー':
			continue
		}
		if !ok {
			word = string(r)
		}
		if double && word != "" {
			b.WriteByte(word[0])
		}
		double = false
		if small := strings.TrimPrefix(word, "~"); small != word {
			text := b.String() // a small ya, yu or yo replaces the vowel before it: ki + ~ya = kya
			if strings.HasSuffix(text, "i") {
				text = strings.TrimSuffix(text, "i")
				if strings.HasSuffix(text, "sh") || strings.HasSuffix(text, "ch") || strings.HasSuffix(text, "j") {
					small = strings.TrimPrefix(small, "y")
				}
			}
			b.Reset()
			b.WriteString(text)
			word = small
		}
		b.WriteString(word)
	}
	return b.String()
}

// romanize spells one hangul syllable by the Revised Romanization of Korean, letter by letter.
func romanize(r rune) string {
	n := int(r - '가')
	return hangulInitials[n/588] + hangulVowels[n%588/28] + hangulFinals[n%28]
}

var (
	hangulInitials = strings.Split("g,kk,n,d,tt,r,m,b,pp,s,ss,,j,jj,ch,k,t,p,h", ",")
	hangulVowels   = strings.Split("a,ae,ya,yae,eo,e,yeo,ye,o,wa,wae,oe,yo,u,wo,we,wi,yu,eu,ui,i", ",")
	hangulFinals   = strings.Split(",k,k,k,n,n,n,t,l,k,m,l,l,l,p,l,m,p,p,t,t,ng,t,t,k,t,p,t", ",")
)

// latin spells folded letters. A tilde marks a small kana that replaces the vowel before it.
var latin = map[rune]string{
	'&': " and ", '+': " plus ", '$': "s", '@': "a", '!': "", '.': "", '"': "", '(': "", ')': "",
	'α': "a", 'β': "v", 'γ': "g", 'δ': "d", 'ε': "e", 'ζ': "z",
	'η': "i", 'θ': "th", 'ι': "i", 'κ': "k", 'λ': "l", 'μ': "m",
	'ν': "n", 'ξ': "x", 'ο': "o", 'π': "p", 'ρ': "r", 'σ': "s",
	'τ': "t", 'υ': "y", 'φ': "f", 'χ': "ch", 'ψ': "ps", 'ω': "o",
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'ґ': "g", 'д': "d",
	'е': "e", 'ж': "zh", 'з': "z", 'и': "i", 'і': "i", 'к': "k",
	'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r",
	'с': "s", 'т': "t", 'у': "u", 'ф': "f", 'х': "kh", 'ц': "ts",
	'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya", 'є': "ye", 'ђ': "dj",
	'ј': "j", 'љ': "lj", 'њ': "nj", 'ћ': "c", 'џ': "dz",
	'あ': "a", 'い': "i", 'う': "u", 'え': "e", 'お': "o", 'か': "ka", 'き': "ki", 'く': "ku", 'け': "ke", 'こ': "ko",
	'が': "ga", 'ぎ': "gi", 'ぐ': "gu", 'げ': "ge", 'ご': "go", 'さ': "sa", 'し': "shi", 'す': "su", 'せ': "se", 'そ': "so",
	'ざ': "za", 'じ': "ji", 'ず': "zu", 'ぜ': "ze", 'ぞ': "zo", 'た': "ta", 'ち': "chi", 'つ': "tsu", 'て': "te", 'と': "to",
	'だ': "da", 'ぢ': "ji", 'づ': "zu", 'で': "de", 'ど': "do", 'な': "na", 'に': "ni", 'ぬ': "nu", 'ね': "ne", 'の': "no",
	'は': "ha", 'ひ': "hi", 'ふ': "fu", 'へ': "he", 'ほ': "ho", 'ば': "ba", 'び': "bi", 'ぶ': "bu", 'べ': "be", 'ぼ': "bo",
	'ぱ': "pa", 'ぴ': "pi", 'ぷ': "pu", 'ぺ': "pe", 'ぽ': "po", 'ま': "ma", 'み': "mi", 'む': "mu", 'め': "me", 'も': "mo",
	'や': "ya", 'ゆ': "yu", 'よ': "yo", 'ら': "ra", 'り': "ri", 'る': "ru", 'れ': "re", 'ろ': "ro", 'わ': "wa", 'を': "o",
	'ん': "n", 'ゔ': "vu", 'ゃ': "~ya", 'ゅ': "~yu", 'ょ': "~yo", 'ぁ': "a", 'ぃ': "i", 'ぅ': "u", 'ぇ': "e", 'ぉ': "o", 'ゎ': "wa",
}
