import { replaceSpans } from './replace-spans.ts'

/** The XML of a part without the text that Word hides: a reader of the document could not find a quote of it. */
export function withoutHiddenText(xml: string): string {
  return replaceSpans(xml, /<w:r(?:\s[^<>]*)?>\s*<w:rPr>/g, '</w:r>', (run) => {
    const properties = run.slice(0, Math.max(run.indexOf('</w:rPr>'), 0))
    // The rest of the run stays: it may begin a field, or contain a text box that is not closed here.
    return isHidden.test(properties) ? run.replace(/<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g, '') : run
  })
}

const isHidden = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/
