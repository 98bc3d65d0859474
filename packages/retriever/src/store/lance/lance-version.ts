import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanceTable } from './lance-table.ts'

/**
 * What differs after each commit: the number of the table's version, and the time of the folder that each commit writes to.
 * The number alone is the same in a table that another process has deleted and built again.
 */
export async function readVersion({ table, folder }: LanceTable): Promise<string> {
  const number = await table.version()
  const found = folder === undefined ? undefined : await stat(join(folder, '_versions')).catch(() => undefined)
  return `${number} ${found?.mtimeMs ?? ''}`
}
