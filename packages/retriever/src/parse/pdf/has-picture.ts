import type { PdfPage } from './open-pdf.ts'

/**
 * Whether a page without text shows something: a scan, a picture, letters drawn as outlines or in a font without a
 * mapping to characters.
 */
export async function hasPicture(page: PdfPage): Promise<boolean> {
  const { getResolvedPDFJS } = await import('unpdf')
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: 0 })
  const count = (operator: number): number => fnArray.filter((each) => each === operator).length
  return (
    count(OPS.constructPath) > 20 ||
    fnArray.some((operator, place) => operator === OPS.showText && showsLetter(argsArray[place])) ||
    hasImage(fnArray, OPS)
  )
}

/** The operator's argument is a list of glyphs and gaps; PDF.js types it as `any`. */
function showsLetter(args: unknown): boolean {
  const glyphs: unknown = Array.isArray(args) ? args[0] : undefined
  return Array.isArray(glyphs) && glyphs.some((glyph: unknown) => isGlyph(glyph) && glyph.unicode?.trim() !== '')
}

function isGlyph(value: unknown): value is { unicode?: string } {
  return typeof value === 'object' && value !== null && 'fontChar' in value
}

type Operators = { save: number; restore: number; transform: number; constructPath: number; shadingFill: number }

/**
 * Images are too large to be decoded, see `openPdf`, so no operator paints them. What remains of an image is its place: a
 * transformation without painting.
 */
function hasImage(
  operators: readonly number[],
  { save, restore, transform, constructPath, shadingFill }: Operators,
): boolean {
  const outer: { isPlaced: boolean; isPainted: boolean }[] = []
  let inner = { isPlaced: false, isPainted: false }
  for (const operator of operators) {
    if (operator === transform) inner.isPlaced = true
    else if (operator === constructPath || operator === shadingFill) inner.isPainted = true
    else if (operator === save) {
      outer.push(inner)
      inner = { isPlaced: false, isPainted: false }
    } else if (operator === restore) {
      if (inner.isPlaced && !inner.isPainted) return true
      const { isPainted } = inner
      inner = outer.pop() ?? { isPlaced: false, isPainted: false }
      inner.isPainted ||= isPainted
    }
  }
  return inner.isPlaced && !inner.isPainted
}
