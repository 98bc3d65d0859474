import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest folder, from this one upwards, that contains an entry of this name. */
export function nearestFolder(folder: string, name: string): string | undefined {
  if (existsSync(join(folder, name))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : nearestFolder(parent, name)
}
