import type { DocumentStyles } from './document-styles.ts'
import { repairDrawings } from './repair-drawings.ts'
import { replaceSpans } from './replace-spans.ts'
import { withoutHiddenText } from './without-hidden-text.ts'

/** Rewrites XML that mammoth ignores (equations, fields, ruby, breaks, text boxes) as XML that it reads, without hidden text. */
export function repairBody(xml: string, styles: DocumentStyles): string {
  const equations = replaceSpans(
    repairDrawings(withoutHiddenText(xml, styles)),
    /<m:oMath[\s>]/g,
    '</m:oMath>',
    (equation) => run(linear(equation)),
  )
  let repaired = equations.replace(/<\/?m:oMathPara(Pr)?\b[^<>]*>/g, '')
  repaired = replaceSpans(repaired, /<w:rt>/g, '</w:rt>', nothing)
  repaired = replaceSpans(repaired, /<w:rubyPr>/g, '</w:rubyPr>', nothing)
  repaired = repaired.replace(/<\/?w:(fldSimple|dir|bdo|ruby|rubyBase)(\s[^<>]*)?>/g, '')
  return (
    replaceSpans(repaired, /<w:fldData\b/g, '</w:fldData>', nothing)
      // An attribute may contain `>` but not `<`: an unclosed tag must not be searched to the end of the text.
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

/** An equation on one line: `x^2/y`. The text stays escaped. */
function linear(equation: string): string {
  const parts = equation.matchAll(/<m:t(?:\s[^<>]*)?>([^<]*)<\/m:t>|<m:(den|sup|sub)>/g)
  return [...parts].map(([, text, place]) => text ?? signs[place ?? ''] ?? '').join('')
}

const signs: Readonly<Record<string, string>> = { den: '/', sup: '^', sub: '_' }
