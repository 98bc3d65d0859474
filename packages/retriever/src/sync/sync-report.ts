import type { FileNote, SyncReport } from '@agentkit/core'
import { extOf } from '../data/ext-of.ts'
import type { FileRecord } from '../data/file-record.ts'

export type Synced = {
  /** The current records of the selected files. */
  records: readonly FileRecord[]
  indexed: number
  removed: number
  mode: SyncReport['mode']
  /** Warnings about the embedder. */
  notice?: string | undefined
  /** Files and folders that could not be examined. */
  unseen: readonly FileNote[]
  /** Files of unsupported types, if they are reported. */
  unsupported: readonly string[]
  supportedExts: readonly string[]
}

/** Reports the work of a sync, and the state of the files: unreadable ones are reported in each sync. */
export function syncReport({ records, indexed, removed, mode, notice, ...notes }: Synced): SyncReport {
  const report: SyncReport = {
    indexed,
    unchanged: 0,
    removed,
    pending: 0,
    chunks: 0,
    skipped: [...notes.unseen],
    warnings: [],
    mode,
    ...(notice !== undefined && { notice }),
  }
  let readable = 0
  for (const { file, status, reason = '', stale, chunks } of records) {
    report.chunks += chunks
    if (status === 'ok') readable++
    else if (status === 'pending') report.pending++
    else if (status === 'low-quality') {
      readable++
      report.warnings.push({ file, status, reason })
    } else {
      const kept = stale ? ' What it said before is still found.' : ''
      report.skipped.push({ file, status, reason: `${reason}${kept}` })
    }
  }
  report.unchanged = readable - indexed
  for (const file of notes.unsupported) {
    report.skipped.push({ file, status: 'unsupported', reason: whyUnsupported(file, notes.supportedExts) })
  }
  return report
}

const adviceByExt: Readonly<Record<string, string>> = {
  '.doc': 'Word files of before 2007 cannot be read: save it as .docx.',
  '.xls': 'Excel files cannot be read: save it as .csv.',
  '.xlsx': 'Excel files cannot be read: save it as .csv.',
  '.rtf': 'RTF files cannot be read: save it as .docx.',
  '.odt': 'OpenDocument files cannot be read: save it as .docx.',
  '.html': 'HTML files cannot be read: save it as .md or .pdf.',
}

function whyUnsupported(file: string, supportedExts: readonly string[]): string {
  const ext = extOf(file)
  const what = ext === '' ? 'Files without an extension' : `Files of the type ${ext}`
  return adviceByExt[ext] ?? `${what} cannot be read. These can: ${supportedExts.join(', ')}.`
}
