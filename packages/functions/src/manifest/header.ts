import type { ManifestHeader } from './manifest.ts'

const mark = '// agentkit-tools: '

/** The line of a manifest with the options that generate it. */
export function formatHeader(header: ManifestHeader): string {
  return mark + jsonLine(header)
}

/** The options in a manifest's header; `undefined` if the text is not a manifest. */
export function readHeader(text: string): ManifestHeader | undefined {
  const line = text.split(/\r?\n/).find((candidate) => candidate.startsWith(mark))
  if (line === undefined) return undefined
  try {
    const { file, patterns } = JSON.parse(line.slice(mark.length))
    const isWhole = typeof file === 'string' && Array.isArray(patterns)
    return isWhole ? { file, patterns: patterns.map(String) } : undefined
  } catch {
    return undefined
  }
}

/** JSON on one line, as JavaScript counts lines. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
