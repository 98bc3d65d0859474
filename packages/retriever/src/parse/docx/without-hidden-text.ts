import { replaceSpans } from './replace-spans.ts'

/** The XML of a part without the text that Word hides: a reader of the document could not find a quote of it. */
export function withoutHiddenText(xml: string): string {
  // Marked first: a run may contain a text box, whose runs have properties of their own.
  const marked = replaceSpans(xml, /<w:r(?:\s[^<>]*)?>\s*<w:rPr>/g, '</w:rPr>', (beginning) => {
    // Those before a tracked change are within it.
    const [present = ''] = beginning.split('<w:rPrChange', 1)
    return isHidden.test(present) ? mark + beginning : beginning
  })
  // The rest of the run stays: it may begin a field, or contain a text box that is not closed here.
  return replaceSpans(marked, /<\?hidden\?>/g, '</w:r>', (run) => run.replace(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g, ''))
}

const isHidden = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/

/** Before a hidden run: an instruction that no reader of the XML knows. */
const mark = '<?hidden?>'
