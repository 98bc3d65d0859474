import type { PdfDocument } from './open-pdf.ts'

/** Text that users entered, by page: the values of form fields with their names, and free text annotations. */
export async function formValues(document: PdfDocument): Promise<Map<number, string[]>> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { AnnotationType } = await getResolvedPDFJS()
  const types = new Set([AnnotationType.WIDGET, AnnotationType.FREETEXT])
  // A page's own `getAnnotations` reads the whole text of a page with links again.
  // PDF.js types annotations as `Object`.
  const annotations = (await document.getAnnotationsByType(types, new Set()).catch(() => null)) as Annotation[] | null
  const values = new Map<number, string[]>()
  for (const annotation of annotations ?? []) {
    const value = valueText(annotation)
    if (value === '') continue
    const page = annotation.pageIndex + 1
    const name = label(annotation)
    values.set(page, [...(values.get(page) ?? []), name === '' ? value : `${name}: ${value}`])
  }
  return values
}

type Annotation = {
  pageIndex: number
  subtype?: string
  annotationFlags?: number
  fieldType?: string
  fieldValue?: unknown
  /** The label of a list's value. */
  options?: readonly { exportValue: string; displayValue: string }[]
  fieldName?: string
  alternativeText?: string
  checkBox?: boolean
  radioButton?: boolean
  /** The value of a check box or a radio button. */
  exportValue?: string
  buttonValue?: string
  password?: boolean
  contentsObj?: { str?: string }
}

/** Hidden, and hidden on a screen. PDF.js names fields alone `hidden`. */
const notShown = 2 | 32

function valueText(annotation: Annotation): string {
  const { subtype, annotationFlags = 0, fieldType, fieldValue, options, password, contentsObj } = annotation
  if ((annotationFlags & notShown) !== 0 || password === true) return ''
  if (subtype === 'FreeText') return contentsObj?.str?.trim() ?? ''
  if (subtype === 'Widget' && fieldType === 'Btn') return chosenText(annotation)
  if (subtype !== 'Widget' || (fieldType !== 'Tx' && fieldType !== 'Ch')) return ''
  const values: unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue]
  return values
    .filter((value) => typeof value === 'string')
    .map((value) => options?.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ')
    .trim()
}

/** Names that say no more than that a box is ticked. */
const ticked = /^(?:yes|on|true|checked|x|\d+)$/i

/**
 * The text of a ticked check box or a chosen radio button; empty for a box that has neither a value of its own nor a
 * label.
 */
function chosenText(annotation: Annotation): string {
  const { checkBox, radioButton, fieldValue, exportValue, buttonValue } = annotation
  const own = checkBox ? exportValue : radioButton ? buttonValue : undefined
  if (typeof own !== 'string' || own === '' || own === 'Off' || fieldValue !== own) return ''
  if (!ticked.test(own)) return own
  if (label(annotation) === '') return ''
  return checkBox ? 'yes' : own
}

/** In a longer one, a long run of spaces would be searched in quadratic time. */
const longestLabel = 1_000

/** Generated names ("form1[0].#subform[0].f1_02[0]") are useless. */
function label({ fieldName = '', alternativeText = '' }: Annotation): string {
  const spoken = alternativeText.trim()
  if (spoken !== '') return spoken.slice(0, longestLabel).replace(/[:\s]+$/, '')
  return /^\p{L}[\p{L} _-]*$/u.test(fieldName) ? fieldName : ''
}
