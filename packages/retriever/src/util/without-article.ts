/**
 * Removes the article of Arabic, which is written together with its noun, also behind `and`, `in` or `like`: `الكتاب`
 * and `بالكتاب` are found by `كتاب`, and the other way round.
 */
export function withoutArticle(text: string): string {
  return lam.test(text) ? text.replace(article, '') : text
}

const lam = /\u0644/
/**
 * The article of a word of which at least three letters remain: in shorter words these letters are part of the word.
 */
const article = /(?<![\p{L}\p{M}])\u0648?(?:[\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=[\u0621-\u064a]{3})/gu
