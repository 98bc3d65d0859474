const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/**
 * The elements of highlighted code: spans with their classes, and texts. It creates no other elements, whatever the
 * HTML contains.
 */
export function spansOf(html: string): DocumentFragment {
  const content = document.createDocumentFragment()
  let place: ParentNode = content
  for (const part of html.split(/(<span class="[\w -]+">|<\/span>)/)) {
    if (part === '</span>') place = place.parentNode ?? content
    else if (part.startsWith('<span class="')) {
      const span = document.createElement('span')
      span.className = part.slice('<span class="'.length, -'">'.length)
      place.append(span)
      place = span
    } else if (part !== '')
      place.append(part.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name] ?? ''))
  }
  return content
}
