import { mendDrawings } from './mend-drawings.ts'
import { replaceSpans } from './replace-spans.ts'

/** A part's XML with what mammoth passes over (equations, fields, ruby, breaks, text boxes) turned into what it reads. */
export function mendBody(xml: string): string {
  const equations = replaceSpans(mendDrawings(xml), /<m:oMath[\s>]/g, '</m:oMath>', (equation) => run(linear(equation)))
  let mended = equations.replace(/<\/?m:oMathPara(Pr)?\b[^<>]*>/g, '')
  mended = replaceSpans(mended, /<w:rt>/g, '</w:rt>', nothing)
  mended = replaceSpans(mended, /<w:rubyPr>/g, '</w:rubyPr>', nothing)
  mended = mended.replace(/<\/?w:(fldSimple|dir|bdo|ruby|rubyBase)(\s[^<>]*)?>/g, '')
  return (
    replaceSpans(mended, /<w:fldData\b/g, '</w:fldData>', nothing)
      // A `>` may stand in an attribute, a `<` may not: a tag that never ends must not be sought to the end of the text.
      .replace(/<w:cr\s*\/>|<w:br\s[^<>]*\/>/g, '<w:br/>')
      .replace(/<w:ptab\b[^<>]*\/>/g, '<w:tab/>')
      .replace(/(<\/?)v:oval\b/g, '$1v:rect')
  )
}

function nothing(): string {
  return ''
}

function run(text: string): string {
  return text.trim() === '' ? '' : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
}

/** An equation on one line: `x^2/y`. The text stays escaped as it was. */
function linear(equation: string): string {
  const parts = equation.matchAll(/<m:t(?:\s[^<>]*)?>([^<]*)<\/m:t>|<m:(den|sup|sub)>/g)
  return [...parts].map(([, text, place]) => text ?? signs[place ?? ''] ?? '').join('')
}

const signs: Readonly<Record<string, string>> = { den: '/', sup: '^', sub: '_' }
