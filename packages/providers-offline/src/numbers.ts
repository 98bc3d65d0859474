/** A number in a text: digits with signs, separators and multipliers, or a small number in words. */
export type FoundNumber = { start: number; end: number; value: number; inWords: boolean }

const multipliers: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  dozen: 12,
  hundred: 100,
}

const digits =
  /(?<![\w.,])(?<sign>[-−+]|minus\s|negative\s)?(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)(?:\s?(?<factor>thousand|million|billion|dozen|hundred)\b|(?<kilo>k)(?![\p{L}\d]))?/gu

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const inWords = new RegExp(
  `\\b(?:(?<tens>${tens.join('|')})(?:[-\\s](?<unit>${ones.slice(1, 10).join('|')}))?|(?<one>${ones.join('|')}))(?:\\s(?<factor>hundred|thousand|million|dozen))?\\b`,
  'gi',
)

/** Every number that a text tells, in order. */
export function findNumbers(text: string): FoundNumber[] {
  return [...numbersInDigits(text), ...numbersInWords(text)].sort((a, b) => a.start - b.start)
}

function numbersInDigits(text: string): FoundNumber[] {
  return Array.from(text.matchAll(digits), (match) => {
    const { sign, number = '', factor, kilo } = match.groups ?? {}
    // After another number a sign is an operator: "10 -3" is two positive numbers and a minus.
    const isOperator = sign !== undefined && /[\d)]\s*$/.test(text.slice(Math.max(0, match.index - 4), match.index))
    const size = Number(number.replaceAll(',', '')) * (multipliers[factor ?? kilo ?? ''] ?? 1)
    const isNegative = !isOperator && sign !== undefined && sign !== '+'
    const start = match.index + (isOperator ? sign.length : 0)
    return { start, end: match.index + match[0].length, value: isNegative ? -size : size, inWords: false }
  })
}

function numbersInWords(text: string): FoundNumber[] {
  return Array.from(text.matchAll(inWords), (match) => {
    const groups = match.groups ?? {}
    const ten = groups.tens === undefined ? 0 : (tens.indexOf(groups.tens.toLowerCase()) + 2) * 10
    const unit = ones.indexOf((groups.unit ?? groups.one ?? 'zero').toLowerCase())
    const value = (ten + unit) * (multipliers[groups.factor?.toLowerCase() ?? ''] ?? 1)
    return { start: match.index, end: match.index + match[0].length, value, inWords: true }
  })
}
