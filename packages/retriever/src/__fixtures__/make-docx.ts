import { writeZip } from '../parse/zip/write-zip.ts'

export type DocxOptions = {
  title?: string
  /** Inside `<w:styles>`, after the headings. */
  styles?: string
  /** Other parts, by name: `word/footnotes.xml`. A part that the document refers to needs only its name here. */
  parts?: Readonly<Record<string, string | Uint8Array>>
}

/** A small Word document around the XML of its body. */
export function makeDocx(body: string, { title, styles = '', parts = {} }: DocxOptions = {}): Uint8Array {
  const files: Record<string, string | Uint8Array> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels': `<Relationships xmlns="${packageNames}/relationships"><Relationship Id="r1" Type="${officeNames}/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document ${names}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${names}>${headings}${styles}</w:styles>`,
    ...(title === undefined
      ? {}
      : { 'docProps/core.xml': `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>` }),
    ...parts
  }
  return new Uint8Array(writeZip(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)] as const)))
}

/** A paragraph, of a style if there is one. `text` is XML. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export function table(...rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]): string => row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('')}</w:tbl>`
}

const packageNames = 'http://schemas.openxmlformats.org/package/2006'
const officeNames = 'http://schemas.openxmlformats.org/officeDocument/2006'
/** The names that a part's root element needs. */
export const names =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  `xmlns:r="${officeNames}/relationships" xmlns:m="${officeNames}/math" ` +
  'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'

const headings = [1, 2, 3]
  .map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:pPr><w:outlineLvl w:val="${level - 1}"/></w:pPr></w:style>`
  )
  .join('')
