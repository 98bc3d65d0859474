import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeWire } from '@agentkit/testing'
import type { MakeProvider, ModelsUnderTest } from '@agentkit/testing/vitest'
import { usualModels } from '../packages/agentkit/src/models/provider-table.ts'
import { root } from './workspace-files.ts'

/** A provider on its default wire. */
export type KnownProvider = { wire: FakeWire; make: MakeProvider; models: ModelsUnderTest & { reasoning: string } }

/** The providers of all packages with a fake server, by name. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = Object.fromEntries(await importProviders())

async function importProviders(): Promise<[string, KnownProvider][]> {
  const found = new Set(globSync('packages/providers-*/src/__fixtures__/under-test.ts', { cwd: root }))
  const places = Object.keys(usualModels).map((id) => [
    id,
    join('packages', `providers-${id}`, 'src/__fixtures__/under-test.ts'),
  ])
  const tested = places.filter(([, path = '']) => found.has(path))
  return Promise.all(
    tested.map(async ([id = '', path = '']) => [id, await import(join(root, path))] as [string, KnownProvider]),
  )
}
