import type { FileChange } from '@agentkit/retriever'

/** Changes that are listed at once; more are counted. */
const listedChanges = 20

/**
 * Changes of files in lines for people.
 * @example
 * changeLines([{ file: 'a.md', change: 'added', status: 'ok' }]) // ['+ a.md']
 */
export function changeLines(changes: readonly FileChange[]): string[] {
  const lines = changes.slice(0, listedChanges).map(changeLine)
  const more = changes.length - lines.length
  return more > 0 ? [...lines, `… and ${more.toLocaleString('en')} more files`] : lines
}

function changeLine({ file, change, status, reason }: FileChange): string {
  if (change === 'removed') return `- ${file}`
  if (status === 'ok') return `+ ${file}`
  const problem = status === 'low-quality' ? 'is hard to read' : 'cannot be read'
  return `+ ${file} ${problem}: ${reason ?? status}`
}
