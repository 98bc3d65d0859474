/** The formats of answers. */
export type AnswerFormat = 'text/plain' | 'application/json' | 'text/event-stream'

const formats: readonly AnswerFormat[] = ['text/plain', 'application/json', 'text/event-stream']

type MediaRange = { type: string; quality: number; position: number }
type Match = { quality: number; specificity: number; position: number }

/**
 * The format that an `Accept` header prefers.
 *
 * @param accept the header's value; absent or empty accepts everything
 * @param fallback the format for a client that accepts any
 * @returns `undefined` when the header accepts none of the formats
 */
export function negotiate(accept: string | undefined, fallback: AnswerFormat): AnswerFormat | undefined {
  return preferred(accept, [fallback, ...formats])
}

/** The same for any formats, of which the first is the fallback. */
export function preferred<Format extends string>(
  accept: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format | undefined {
  if (!accept || accept === '*/*') return formats[0]
  const exact = formats.find((format) => format === accept)
  if (exact) return exact
  const ranges = accept.split(',').map(toMediaRange)
  let best: (Match & { format: Format }) | undefined
  for (const format of formats) {
    const match = matchFormat(format, ranges)
    if (match && match.quality > 0 && (best === undefined || isBetter(match, best))) best = { ...match, format }
  }
  return best?.format
}

function toMediaRange(text: string, position: number): MediaRange {
  const [type = '', ...parameters] = text.split(';')
  const weight = parameters.map((parameter) => parameter.trim().toLowerCase()).find((name) => name.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type: type.trim().toLowerCase(), quality: quality >= 0 && quality <= 1 ? quality : 1, position }
}

/** The most specific range decides a format's quality (RFC 9110). */
function matchFormat(format: string, ranges: readonly MediaRange[]): Match | undefined {
  const anyOfType = `${format.slice(0, format.indexOf('/'))}/*`
  let match: Match | undefined
  for (const { type, quality, position } of ranges) {
    const specificity = type === format ? 3 : type === anyOfType ? 2 : type === '*/*' ? 1 : 0
    if (specificity > (match?.specificity ?? 0)) match = { quality, specificity, position }
  }
  return match
}

/** Compares quality, then how exactly the client names the format, then the position in the header. */
function isBetter(candidate: Match, best: Match): boolean {
  if (candidate.quality !== best.quality) return candidate.quality > best.quality
  if (candidate.specificity !== best.specificity) return candidate.specificity > best.specificity
  return candidate.position < best.position
}
