import { decodeXml } from './decode-xml.ts'
import { withLabels } from './list-labels.ts'
import { replaceSpans } from './replace-spans.ts'

/** The words of a part, paragraph by paragraph, without any structure. */
export function plainParagraphs(xml: string): string[] {
  return replaceSpans(xml, /<mc:Fallback>/g, '</mc:Fallback>', () => '')
    .split('</w:p>')
    .map((paragraph) =>
      [...paragraph.matchAll(/<w:t(?:\s[^<>]*)?>([^<]*)<\/w:t>|<w:(tab|br|cr)\b/g)]
        .map(([, text, gap]) => (gap === undefined ? withLabels(decodeXml(text ?? '')) : ' '))
        .join('')
        .replace(/\s+/g, ' ')
        .trim(),
    )
}
