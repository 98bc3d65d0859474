import { pathToFileURL } from 'node:url'
import { UsageError } from './usage-error.ts'

/** The codes of Node for a file that is not code, and for JSON. */
const noCode = new Set(['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_IMPORT_ATTRIBUTE_MISSING'])

/**
 * The exports of a file, whose typed functions are tools, as with `agentkit/register`.
 *
 * @param path absolute
 * @param name as it was passed, for the message
 * @param fix what to pass instead
 * @throws UsageError for a file that is not code; errors of the file itself
 */
export async function importFile(path: string, name: string, fix: string): Promise<Record<string, unknown>> {
  await import('@agentkit/functions/register')
  const { href } = pathToFileURL(path)
  return import(href).catch((error: unknown) => {
    // For an error in an imported file, its own message says more.
    if (isNoCode(error, [path, href])) throw new UsageError(`"${name}" is not TypeScript or JavaScript. ${fix}`)
    throw error
  })
}

function isNoCode(error: unknown, names: readonly string[]): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    noCode.has(String(error.code)) &&
    names.some((name) => error.message.endsWith(name) || error.message.includes(`"${name}"`))
  )
}
