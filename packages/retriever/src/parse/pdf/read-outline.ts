import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PdfDocument } from './open-pdf.ts'

/** A heading of the outline. `key` is its normalized title. */
export type OutlineEntry = { key: string; level: number }

/** The outline's headings by page. Invalid parts of an outline are left out. */
export async function readOutline(document: PdfDocument, signal: AbortSignal): Promise<Map<number, OutlineEntry[]>> {
  const byPage = new Map<number, OutlineEntry[]>()
  const outline = await document.getOutline().catch(() => null)
  let entries = 0
  const walk = async (nodes: Awaited<typeof outline>, level: number): Promise<void> => {
    for (const { title, dest, items } of nodes ?? []) {
      if (entries >= maxEntries || level > maxLevel) return
      entries += 1
      if (entries % 20 === 0) await nextTurn()
      signal.throwIfAborted()
      const key = headingKey(title)
      const page = key === '' ? undefined : await pageOf(document, dest)
      if (page !== undefined) byPage.set(page, [...(byPage.get(page) ?? []), { key, level }])
      await walk(items, level + 1)
    }
  }
  await walk(outline, 1)
  // A single entry is usually the name of the file.
  return entries < 2 ? new Map() : byPage
}

/** Two spellings of a heading have the same key: case, spaces and punctuation are ignored. */
export function headingKey(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

const maxEntries = 5_000
const maxLevel = 9

async function pageOf(document: PdfDocument, dest: string | unknown[] | null): Promise<number | undefined> {
  try {
    const place = typeof dest === 'string' ? await document.getDestination(dest) : dest
    const page: unknown = place?.[0]
    if (typeof page === 'number') return page + 1
    return isRef(page) ? (await document.getPageIndex(page)) + 1 : undefined
  } catch {
    return undefined
  }
}

function isRef(value: unknown): value is { num: number; gen: number } {
  return typeof value === 'object' && value !== null && 'num' in value && 'gen' in value
}
