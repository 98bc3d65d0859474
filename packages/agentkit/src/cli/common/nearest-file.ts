import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The path of a file in this folder, or in the nearest one above it that has the file. */
export function nearestFile(folder: string, name: string): string | undefined {
  const path = join(folder, name)
  if (existsSync(path)) return path
  const above = dirname(folder)
  return above === folder ? undefined : nearestFile(above, name)
}
