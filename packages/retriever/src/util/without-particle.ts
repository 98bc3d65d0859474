/** The particles of Korean, which are written together with the noun before them; up to three follow each other. */
const clear =
  '에서|에게|한테|께서|으로|까지|부터|보다|처럼|마다|조차|하고|이나|이랑|이란|라는|라고|입니다|입니까|인가요|이에요|예요|은|는|을|를|에'
/** Nouns end in these as well: `유급휴가`, `회의`, `속도`. */
const ambiguous = '이|가|의|로|와|과|도|만|랑'

/** Two syllables remain, because shorter nouns end like particles. */
const noun = '(?<=[\\uac00-\\ud7a3]{2}|[A-Za-z])'
const wordEnd = '(?![\\p{L}\\p{M}\\p{N}])'
const clearEnding = new RegExp(`${noun}(?:${clear}){1,3}${wordEnd}`, 'gu')
const anyEnding = new RegExp(`${noun}(?:${clear}|${ambiguous}){0,2}(?:${ambiguous})${wordEnd}`, 'u')
const hangul = /[\uac00-\ud7a3]/

/** Removes the particles of Korean nouns that no noun ends in: `연차는` and `연차를` are found by `연차`, and by each other. */
export function withoutParticle(text: string): string {
  return hangul.test(text) ? text.replace(clearEnding, '') : text
}

/** A Korean word without an end that may be a particle: `연차가` as `연차`. */
export function likelyNoun(word: string): string {
  return hangul.test(word) ? word.replace(anyEnding, '') : word
}

/** The likely nouns of a text that differ from its words. */
export function likelyNouns(text: string): string[] {
  if (!hangul.test(text)) return []
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const noun = likelyNoun(word)
    return noun === word ? [] : [noun]
  })
}
