/** The character references that are met in Markdown; others stay as they are written. */
const written = `
amp &  lt <  gt >  quot "  apos '  copy ©  reg ®  trade ™  hellip …  mdash —  ndash –  minus −  rsquo ’
lsquo ‘  rdquo ”  ldquo “  bdquo „  sbquo ‚  laquo «  raquo »  lsaquo ‹  rsaquo ›  times ×  divide ÷  middot ·
bull •  rarr →  larr ←  uarr ↑  darr ↓  harr ↔  rArr ⇒  euro €  pound £  yen ¥  cent ¢  deg °  sect §  para ¶
plusmn ±  frac12 ½  frac14 ¼  frac34 ¾  sup2 ²  sup3 ³  micro µ  le ≤  ge ≥  ne ≠  asymp ≈  infin ∞  check ✓
auml ä  ouml ö  uuml ü  Auml Ä  Ouml Ö  Uuml Ü  szlig ß  eacute é  egrave è  ecirc ê  agrave à  acirc â
ccedil ç  ntilde ñ  oacute ó  aacute á  iacute í  uacute ú  lbrace {  rbrace }  lcub {  rcub }  lbrack [
rbrack ]  vert |  ast *  num #  lowbar _
`

const named = new Map<string, string>([
  ...written
    .trim()
    .split(/\s{2,}|\n/)
    .map((entry): [string, string] => {
      const [name = '', sign = ''] = entry.split(' ')
      return [name, sign]
    }),
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name): [string, string] => [name, ' ']),
  ...['shy', 'zwj', 'zwnj'].map((name): [string, string] => [name, '']),
])

/** What a reference such as `&amp;` stands for. */
export function decodeEntity(reference: string): string {
  const name = reference.slice(1, -1)
  if (!name.startsWith('#')) return named.get(name) ?? reference
  const isHex = /^#x/i.test(name)
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)
  const isSign = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isSign ? (code === 0xa0 ? ' ' : String.fromCodePoint(code)) : reference
}
