import { documentStyles } from './document-styles.ts'
import { type DocxParts, partText } from './docx-parts.ts'
import { plainParagraphs } from './plain-paragraphs.ts'
import { withoutHiddenText } from './without-hidden-text.ts'

/** The headers and footers of a document, each once, without page numbers and unresolved placeholders. */
export function marginText(parts: DocxParts): string[] {
  const texts = new Set<string>()
  const styles = documentStyles(partText(parts, 'word/styles.xml'))
  for (const name of [...parts.keys()].sort())
    if (/^word\/(header|footer)\d*\.xml$/i.test(name))
      for (const text of plainParagraphs(withoutHiddenText(partText(parts, name), styles)))
        if (/\p{L}{2}/u.test(text) && !/^Error!/.test(text)) texts.add(text)
  return [...texts]
}
