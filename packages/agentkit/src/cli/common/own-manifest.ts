import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nearestFile } from './nearest-file.ts'

/** The package.json of this package. This file may be a source file or a part of the build. */
export const ownManifest: {
  version: string
  engines: { node: string }
  peerDependencies: Record<string, string>
} = JSON.parse(readFileSync(nearestFile(dirname(fileURLToPath(import.meta.url)), 'package.json') ?? '', 'utf8'))
