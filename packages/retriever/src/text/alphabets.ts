/** The letters besides a to z of languages with a Latin alphabet, by the encodings of their texts. */
const alphabets: Readonly<Record<string, readonly string[]>> = {
  'windows-1252': [
    'äöüß',
    'éèàçêëîïôûùâœæÿ',
    'ñóíáúéü',
    'àèéìíòóù',
    'ãõçáéíóúâêôàü',
    'åäöé',
    'åøæéóò',
    'éëïóöü',
    'áéíóúýþðæö',
    'çàèéíòóúïü',
  ],
  'windows-1250': ['ěščřžýáíéůúňďťó', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž', 'çë'],
  'windows-1254': ['ışğçöüiâîû', 'əışğçöü'],
  'windows-1257': ['āčēģīķļņšūž', 'ąčęėįšųūž', 'äõöüšž'],
}

/** The share of a text's accented letters that are of one language of an encoding; 1 for encodings of other alphabets. */
export function alphabetShare(text: string, encoding: string): number {
  const known = alphabets[encoding === 'iso-8859-2' ? 'windows-1250' : encoding]
  if (known === undefined) return 1
  const letters = [...text.toLowerCase()].filter((sign) => sign > '\u007f' && /[^\P{L}ªºµ]/u.test(sign))
  if (letters.length === 0) return 1
  const shares = known.map((alphabet) => letters.filter((letter) => alphabet.includes(letter)).length)
  return Math.max(...shares) / letters.length
}
