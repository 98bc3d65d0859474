/**
 * A line of text on a page, in Helvetica; `x` and `y` count from the lower left. `isPrivate`: in a font that maps its
 * letters to characters that only it knows. `isJapanese`: its bytes are Shift JIS, and no font is embedded. `font`: a
 * font of all letters, each as wide as high, that writes along the line or down the page; the letters are drawn in the
 * order of the text.
 */
export type PdfLine = {
  text: string
  x?: number
  y?: number
  size?: number
  isPrivate?: true
  isJapanese?: true
  font?: 'wide' | 'vertical'
}

export type PdfPageOptions = {
  /** Lines without a position are placed below each other. */
  lines?: readonly (string | PdfLine)[]
  /** A grey square, as a scan would be. */
  image?: true
  /** Form fields by name. */
  fields?: Readonly<Record<string, string>>
  /** Check boxes and radio buttons with their values, and the chosen value of each name. */
  boxes?: readonly { name: string; value: string; chosen?: string; isRadio?: true; label?: string }[]
  /** Other annotations, by their entries. */
  annotations?: readonly string[]
  /** Operators of PDF that are put after the lines. */
  operators?: string
}

export type PdfOptions = {
  title?: string
  /** Titles and the pages that they lead to. */
  outline?: readonly { title: string; page: number; children?: readonly { title: string; page: number }[] }[]
  /** The PDF has an XFA form, which only Adobe Reader shows. */
  xfa?: true
  /** The PDF is encrypted with an unknown password. */
  password?: true
}

/** A small PDF, written by hand. */
export function makePdf(pages: readonly PdfPageOptions[], { title, outline, xfa, password }: PdfOptions = {}): Uint8Array {
  const objects: string[] = []
  const add = (object: string): number => objects.push(object)
  const catalog = add('')
  const tree = add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  const toUnicode = add(
    stream('begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <e000> endbfrange endcmap')
  )
  const privateFont = add(`<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode ${toUnicode} 0 R >>`)
  const japanese =
    '/Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>'
  const shiftJis =
    '/Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light-90ms-RKSJ-H /Encoding /90ms-RKSJ-H /DescendantFonts'
  const descriptor =
    '/FontDescriptor << /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >>'
  const japaneseFont = add(`<< ${shiftJis} [<< ${japanese} ${descriptor} >>] >>`)
  const identity = add(
    stream(
      'begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0000> <ffff> <0000> endbfrange endcmap'
    )
  )
  const anyLetter = `/Type /Font /Subtype /CIDFontType0 /BaseFont /Any /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ${descriptor}`
  const [wideFont, verticalFont] = ['H', 'V'].map((mode) =>
    add(
      `<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-${mode} /ToUnicode ${identity} 0 R /DescendantFonts [<< ${anyLetter} >>] >>`
    )
  )
  const image = add(
    stream('\x80', '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 ')
  )
  const fields: number[] = []
  const kids = pages.map((page) => {
    const content = add(stream(contentOf(page)))
    const own = Object.entries(page.fields ?? {}).map(([name, value]) =>
      add(`<< /Type /Annot /Subtype /Widget /FT /Tx /T ${string(name)} /V ${string(value)} /Rect [50 50 250 70] >>`)
    )
    for (const { name, value, chosen = 'Off', isRadio, label } of page.boxes ?? []) {
      const kind = `/FT /Btn /Ff ${isRadio === true ? 1 << 15 : 0} /T ${string(name)} ${label === undefined ? '' : `/TU ${string(label)} `}`
      const look = `/AS /${value === chosen ? value : 'Off'} /AP << /N << /${value} ${image} 0 R /Off ${image} 0 R >> >>`
      own.push(add(`<< /Type /Annot /Subtype /Widget ${kind}/V /${chosen} ${look} /Rect [50 50 70 70] >>`))
    }
    const others = page.annotations ?? []
    own.push(...others.map((entries) => add(`<< /Type /Annot ${entries} /Rect [50 50 250 70] >>`)))
    fields.push(...own)
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R ${annotations(own)}` +
        `/Resources << /Font << /F1 ${font} 0 R /F2 ${privateFont} 0 R /F3 ${japaneseFont} 0 R /F4 ${wideFont} 0 R /F5 ${verticalFont} 0 R >> /XObject << /Im1 ${image} 0 R >> >> >>`
    )
  })
  const references = (numbers: readonly number[]): string => numbers.map((number) => `${number} 0 R`).join(' ')
  objects[tree - 1] = `<< /Type /Pages /Count ${kids.length} /Kids [${references(kids)}] >>`
  const outlines = outline === undefined ? '' : `/Outlines ${addOutline(outline, kids, add, objects)} 0 R `
  const xfaForm = xfa === true ? `/XFA [(template) ${add(stream('<template/>'))} 0 R] ` : ''
  const form = fields.length > 0 || xfa === true ? `/AcroForm << ${xfaForm}/Fields [${references(fields)}] >> ` : ''
  objects[catalog - 1] = `<< /Type /Catalog /Pages ${tree} 0 R ${outlines}${form}>>`
  const info = title === undefined ? '' : `/Info ${add(`<< /Title ${string(title)} >>`)} 0 R `
  const secret = `<${'ab'.repeat(32)}>`
  const encrypted = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ${secret} /U ${secret} >> /ID [<ab> <ab>] `
  return write(objects, `/Root ${catalog} 0 R ${info}${password === true ? encrypted : ''}`)
}

function contentOf({ lines = [], image, operators = '' }: PdfPageOptions): string {
  let nextY = 720
  const text = lines.map((line) => {
    const { text: said, x = 72, y = nextY, size = 12, isPrivate, isJapanese, font: wide }: PdfLine = typeof line === 'string' ? { text: line } : line
    nextY = y - 14
    const plain = isPrivate === true ? 'F2' : isJapanese === true ? 'F3' : 'F1'
    const font = wide === undefined ? plain : wide === 'wide' ? 'F4' : 'F5'
    return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm ${wide === undefined ? string(said) : codes(said)} Tj ET`
  })
  return [...text, ...(image === true ? ['q 500 0 0 700 50 50 cm /Im1 Do Q'] : []), operators].join('\n')
}

function addOutline(
  outline: NonNullable<PdfOptions['outline']>,
  pages: readonly number[],
  add: (object: string) => number,
  objects: string[]
): number {
  const root = add('')
  const addLevel = (entries: NonNullable<PdfOptions['outline']>, parent: number): string => {
    const numbers = entries.map(() => add(''))
    for (const [place, { title, page, children = [] }] of entries.entries()) {
      const own = numbers[place] ?? 0
      const below = children.length === 0 ? '' : addLevel(children, own)
      const next = place + 1 < numbers.length ? `/Next ${numbers[place + 1]} 0 R ` : ''
      objects[own - 1] =
        `<< /Title ${string(title)} /Parent ${parent} 0 R /Dest [${pages[page - 1]} 0 R /Fit] ${next}${below}>>`
    }
    return `/First ${numbers[0]} 0 R /Last ${numbers.at(-1)} 0 R /Count ${numbers.length} `
  }
  objects[root - 1] = `<< /Type /Outlines ${addLevel(outline, root)}>>`
  return root
}

function annotations(numbers: readonly number[]): string {
  return numbers.length === 0 ? '' : `/Annots [${numbers.map((number) => `${number} 0 R`).join(' ')}] `
}

function stream(content: string, entries = ''): string {
  return `<< ${entries}/Length ${content.length} >>\nstream\n${content}\nendstream`
}

function string(text: string): string {
  return `(${text.replace(/[\\()]/g, '\\$&')})`
}

function codes(text: string): string {
  return `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
}

/** A PDF of these objects, whose numbers count from 1. */
export function write(objects: readonly string[], trailer: string): Uint8Array {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, place) => {
    const offset = file.length
    file += `${place + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} ${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`
  return new Uint8Array(Buffer.from(file, 'latin1'))
}
