import type { FileNote, SyncProgress, SyncReport } from '@agentkit/core'

/** Files that are listed; more are counted. */
const listedFiles = 10

/** A sync's report in lines for people: none if nothing has changed. */
export function reportLines(report: SyncReport): string[] {
  const { indexed, unchanged, removed, pending, chunks, skipped, warnings, mode, notice } = report
  const lines: string[] = []
  if (indexed + removed > 0) {
    const changes = [`${indexed} indexed`, `${unchanged} unchanged`, `${removed} removed`]
    const how = mode === 'text' ? 'by words' : mode === 'vector' ? 'by meaning' : 'by words and meaning'
    const passages = chunks === 1 ? '1 passage is' : `${chunks} passages are`
    lines.push(`Files: ${changes.join(', ')}; ${passages} searchable, ${how}.`)
  }
  if (pending === 1) lines.push('1 file is pending: it changed while it was read. The next sync reads it.')
  if (pending > 1)
    lines.push(`${pending} files are pending: they changed while they were read. The next sync reads them.`)
  if (notice !== undefined) lines.push(notice)
  lines.push(...notes('cannot be read', skipped), ...notes('is hard to read', warnings))
  return lines
}

/** A line about a folder in which a sync has found no file at all, as where its path is wrong. */
export function emptyLine(report: SyncReport, folder: string): string | undefined {
  const { unchanged, indexed, removed, pending, skipped } = report
  return unchanged + indexed + removed + pending + skipped.length === 0 ? `There are no files in ${folder}.` : undefined
}

/** How far a sync is: `1,200 of 10,000 files, 4,100 passages, 9.1 MB/s`. */
export function progressLine({ files, filesDone, bytesDone, chunks, elapsedMs }: SyncProgress): string {
  const speed = elapsedMs > 0 ? bytesDone / 1e6 / (elapsedMs / 1000) : 0
  return `${count(filesDone)} of ${count(files)} files, ${count(chunks)} passages, ${speed.toFixed(1)} MB/s`
}

function notes(what: string, files: readonly FileNote[]): string[] {
  const listed = files.slice(0, listedFiles).map(({ file, status, reason }) => {
    // A folder has no status.
    const kind = file.endsWith('/') ? '' : ` (${status})`
    return `${file} ${what}${kind}: ${reason}`
  })
  const more = files.length - listed.length
  return more > 0 ? [...listed, `${more} more files have such problems.`] : listed
}

function count(number: number): string {
  return number.toLocaleString('en')
}
