import { mendDrawings } from './mend-drawings.ts'

/** A part's XML with what mammoth passes over (equations, fields, ruby, breaks, text boxes) turned into what it reads. */
export function mendBody(xml: string): string {
  return mendDrawings(xml)
    .replace(/<m:oMath[\s>][\s\S]*?<\/m:oMath>/g, (equation) => run(linear(equation)))
    .replace(/<\/?m:oMathPara(Pr)?\b[^>]*>/g, '')
    .replace(/<w:rt>[\s\S]*?<\/w:rt>|<w:rubyPr>[\s\S]*?<\/w:rubyPr>/g, '')
    .replace(/<\/?w:(fldSimple|dir|bdo|ruby|rubyBase)(\s[^>]*)?>/g, '')
    .replace(/<w:fldData\b[\s\S]*?<\/w:fldData>/g, '')
    .replace(/<w:cr\s*\/>|<w:br\s[^>]*\/>/g, '<w:br/>')
    .replace(/<w:ptab\b[^>]*\/>/g, '<w:tab/>')
    .replace(/(<\/?)v:oval\b/g, '$1v:rect')
}

function run(text: string): string {
  return text.trim() === '' ? '' : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
}

/** An equation on one line: `x^2/y`. The text stays escaped as it was. */
function linear(equation: string): string {
  const parts = equation.matchAll(/<m:t(?:\s[^>]*)?>([^<]*)<\/m:t>|<m:(den|sup|sub)>/g)
  return [...parts].map(([, text, place]) => text ?? signs[place ?? ''] ?? '').join('')
}

const signs: Readonly<Record<string, string>> = { den: '/', sup: '^', sub: '_' }
