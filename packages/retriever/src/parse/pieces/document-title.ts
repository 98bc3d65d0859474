import { cleanText } from '../../text/clean-text.ts'

/** The title in a document's properties, if a person wrote it: programs leave "Untitled" and file names there. */
export function documentTitle(title: unknown): { title?: string } {
  if (typeof title !== 'string') return {}
  const clean = cleanText(title)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^Microsoft (Word|PowerPoint|Excel) - /, '')
  const isUseless =
    clean.length < 2 ||
    clean.length > 300 ||
    !/\p{L}{2}/u.test(clean) ||
    /^\(?(untitled|anonymous|unbenannt|sans titre|no title|title|document|word document|slide)\b[\s\d]*\)?$/i.test(
      clean,
    ) ||
    /^\S*\.(docx?|odt|rtf|pptx?|xlsx?|tex|dvi|ps|eps|indd|qxd|fm|pmd?|p65|html?|pdf|tiff?|jpe?g)$/i.test(clean) ||
    /^([a-z]:\\|\/|file:)/i.test(clean)
  return isUseless ? {} : { title: clean }
}
