import type { DocumentStyles } from './document-styles.ts'
import { replaceSpans } from './replace-spans.ts'
import { vanishOf } from './vanish.ts'

/**
 * The XML of a part without the text that Word hides, by its own properties or by a style: a reader of the document could
 * not find a quote of it.
 */
export function withoutHiddenText(xml: string, styles: DocumentStyles): string {
  // Marked first: a run may contain a text box, whose runs have properties of their own.
  const marked = markHidden(xml, styles)
  // The rest of the run stays: it may begin a field, or contain a text box that is not closed here.
  return replaceSpans(marked, /<\?hidden\?>/g, '</w:r>', (run) => run.replace(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g, ''))
}

function markHidden(xml: string, styles: DocumentStyles): string {
  /** The styles of the open paragraphs: one in a text box is within another one. */
  const open: (string | undefined)[] = []
  const token = new RegExp(tokens, 'g')
  let marked = ''
  let done = 0
  for (let found = token.exec(xml); found !== null; found = token.exec(xml)) {
    const [tag, paragraph, paragraphStyle, properties] = found
    if (tag === '</w:p>') open.pop()
    else if (paragraph !== undefined) {
      if (!paragraph.endsWith('/>')) open.push(paragraphStyle)
    } else {
      const end = properties === undefined ? token.lastIndex : xml.indexOf('</w:rPr>', token.lastIndex)
      if (end < 0) break
      // Properties before a tracked change are within it.
      const [present = ''] = xml.slice(token.lastIndex, end).split('<w:rPrChange', 1)
      token.lastIndex = end
      if (!isHidden(present, open.at(-1), styles)) continue
      marked += xml.slice(done, found.index) + mark
      done = found.index
    }
  }
  return marked + xml.slice(done)
}

function isHidden(properties: string, paragraphStyle: string | undefined, styles: DocumentStyles): boolean {
  const own = vanishOf(properties)
  if (own !== undefined) return own
  const characterStyle = /<w:rStyle\s+w:val="([^"<>]*)"/.exec(properties)?.[1]
  // Of two styles that hide, one shows what the other one hides: so Word reads properties that are on or off.
  return styles.hidesParagraph(paragraphStyle) !== styles.hidesRun(characterStyle)
}

/** A paragraph with its style, which comes first in it; its end; a run, and whether it has properties. */
const tokens =
  /(<w:p(?:\s[^<>]*)?\/?>)(?:\s*<w:pPr>\s*<w:pStyle\s+w:val="([^"<>]*)")?|<\/w:p>|<w:r(?:\s[^<>]*[^<>/])?>\s*(<w:rPr>)?/

/** Before a hidden run: an instruction that no reader of the XML knows. */
const mark = '<?hidden?>'
