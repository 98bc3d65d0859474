/**
 * Rewrites the text boxes of drawings as the older kind of picture that mammoth reads: of a drawing it reads only images,
 * and of two alternative versions only the older one, which some programs do not write.
 */
export function repairDrawings(xml: string, depth = 0): string {
  // Each nesting level is scanned once more.
  if (depth === mostDepth || !xml.includes(textBox)) return xml
  const newest = mapElements(xml, 'mc:AlternateContent', (whole) => {
    const choice = elements(whole, 'mc:Choice').find((version) => version.includes(textBox))
    return choice === undefined ? whole : repairDrawings(inside(choice), depth + 1)
  })
  return mapElements(newest, 'w:drawing', (whole) => {
    const boxes = elements(whole, textBox)
    return boxes.length === 0
      ? whole
      : `<w:pict><v:textbox xmlns:v="${vml}">${boxes.map((box) => repairBox(box, depth + 1)).join('')}</v:textbox></w:pict>`
  })
}

const textBox = 'w:txbxContent'
/** Declared on each element: a document without the older kind of picture need not declare it. */
const vml = 'urn:schemas-microsoft-com:vml'
/** The nesting depth of text boxes that is read; real documents have two or three levels. */
const mostDepth = 10

function repairBox(box: string, depth: number): string {
  return `<w:txbxContent>${repairDrawings(inside(box), depth)}</w:txbxContent>`
}

function inside(element: string): string {
  return element.slice(element.indexOf('>') + 1, element.lastIndexOf('<'))
}

function elements(xml: string, name: string): string[] {
  const found: string[] = []
  mapElements(xml, name, (whole) => {
    found.push(whole)
    return whole
  })
  return found
}

/** Replaces the outermost elements with a name; the caller handles nested ones. */
function mapElements(xml: string, name: string, map: (element: string) => string): string {
  let result = ''
  let done = 0
  let start = 0
  let depth = 0
  for (const tag of xml.matchAll(new RegExp(`<(/?)${name}(?:\\s[^<>]*)?>`, 'g'))) {
    if (tag[0].endsWith('/>')) continue
    if (tag[1] === '') {
      if (depth === 0) start = tag.index
      depth += 1
    } else if (depth > 0) {
      depth -= 1
      if (depth > 0) continue
      const end = tag.index + tag[0].length
      result += xml.slice(done, start) + map(xml.slice(start, end))
      done = end
    }
  }
  return result + xml.slice(done)
}
