import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { makeFolder, systemCode } from '@agentkit/core/internal'
import type { Connection, Table } from '@lancedb/lancedb'
import type { Store, StoreSpace } from '../store.ts'
import { folderError, guardOf, isAddress, wordsOfError } from './lance-error.ts'
import { type Lance, loadLance } from './lance-package.ts'
import { lancePlaces } from './lance-places.ts'
import { dimensionsOf, lanceSchema } from './lance-schema.ts'
import { lanceStore } from './lance-store.ts'
import { textIndex } from './lance-table.ts'
import { createTextIndex } from './lance-text-index.ts'

export type LanceSpaceOptions = {
  /**
   * The options of an object store: `region`, `endpoint`, keys, … LanceDB takes absent ones from the environment
   * (`AWS_ACCESS_KEY_ID`, …).
   * @see https://docs.lancedb.com/storage
   */
  storageOptions?: Record<string, string>
}

/**
 * Indexes in LanceDB, a table for each generation.
 *
 * @param uri a folder, or an address such as `s3://bucket/path`
 * @throws AgentKitError, by its methods: `missing-package` when LanceDB is not installed, `unsupported` where it does
 * not run, `storage` for an index that cannot be read or written
 */
export function lanceSpace(uri: string, { storageOptions }: LanceSpaceOptions = {}): StoreSpace {
  // LanceDB would take a folder that is called `db…` for its cloud.
  const place = isAddress(uri) ? uri.replace(/\/+$/, '') : resolve(uri)
  const guard = guardOf(place)
  const folderOf = (generation: string): string =>
    isAddress(uri) ? `${place}/${generation}.lance` : join(place, `${generation}.lance`)
  let opened: Promise<{ lance: Lance; connection: Connection }> | undefined
  const stores = new Set<Store>()

  const connect = (): NonNullable<typeof opened> => {
    opened ??= guard('open the index', async () => {
      const lance = loadLance()
      const session = new lance.lancedb.Session(caches.indexBytes, caches.metadataBytes)
      // LanceDB would make it readable by everyone.
      if (!isAddress(uri)) {
        try {
          makeFolder(place, 0o700)
        } catch (error) {
          throw folderError(place, error)
        }
      }
      const options = { readConsistencyInterval: 0, ...(storageOptions && { storageOptions }) }
      return { lance, connection: await lance.lancedb.connect(place, options, session) }
    })
    // The next call may have more luck.
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }

  return {
    async generations() {
      const { connection } = await connect()
      return guard('list the index', () => connection.tableNames({ limit: 10_000 }))
    },
    async open(generation, { dimensions }) {
      const { lance, connection } = await connect()
      const folder = folderOf(generation)
      const guardTable = guardOf(folder)
      const table = await guardTable('open the index', () => openTable(lance, connection, generation, dimensions))
      const schema = await guardTable('open the index', () => table.schema())
      const kept = dimensionsOf(schema)
      if (dimensions !== undefined && dimensions !== kept) {
        table.close()
        throw new AgentKitError(
          'storage',
          `The index keeps vectors of ${kept ?? 'no'} numbers, not of ${dimensions}. Delete ${folder}: the next sync builds it again.`,
        )
      }
      const store = lanceStore({
        lance,
        table,
        schema,
        guard: guardTable,
        ...(!isAddress(uri) && { folder }),
        address: {
          kind: 'lance',
          uri,
          generation,
          ...(dimensions !== undefined && { dimensions }),
          ...(storageOptions && { storageOptions }),
        },
        places: lancePlaces(),
        ...(kept !== undefined && { dimensions: kept }),
      })
      stores.add(store)
      return store
    },
    async drop(generation) {
      const { connection } = await connect()
      await guard('delete an index', async () => {
        const names = await connection.tableNames({ limit: 10_000 })
        if (!names.includes(generation)) return
        if (!isAddress(uri)) await discardVersions(folderOf(generation))
        await connection.dropTable(generation)
      })
    },
    async close() {
      for (const store of stores) await store.close()
      stores.clear()
      const connected = await opened?.catch(() => undefined)
      opened = undefined
      connected?.connection.close()
    },
  }
}

/** The limits of LanceDB's caches in memory; its defaults are 6 GB and 1 GB. */
const caches = { indexBytes: 256n * 1024n * 1024n, metadataBytes: 64n * 1024n * 1024n }

async function openTable(
  lance: Lance,
  connection: Connection,
  name: string,
  dimensions: number | undefined,
): Promise<Table> {
  const names = await connection.tableNames({ limit: 10_000 })
  const finished = names.includes(name) ? await connection.openTable(name).catch(undefinedIfUnfinished) : undefined
  // When several processes create the table at once, the first commit counts, and the others open its table.
  const schema = lanceSchema(lance, dimensions)
  const table = finished ?? (await connection.createEmptyTable(name, schema, { existOk: true }))
  // The process that created the table may have ended before this.
  if ((await table.indexStats(textIndex)) === undefined) await createTextIndex({ lance, table })
  return table
}

/** A table is listed as soon as its folder exists, also when its creator was killed before the first commit. */
function undefinedIfUnfinished(error: unknown): undefined {
  if (/^Table '.*' was not found/.test(wordsOfError(error))) return undefined
  throw error
}

/** In one step, before its rows are deleted one file at a time: a kill in between leaves an unfinished table. */
async function discardVersions(folder: string): Promise<void> {
  const dropped = join(folder, '_dropped')
  await rm(dropped, { recursive: true, force: true })
  await rename(join(folder, '_versions'), dropped).catch((error: unknown) => {
    // There are none, or another process has them open on Windows: then `dropTable` says what is wrong, if anything is.
    if (systemCode(error) === undefined) throw error
  })
}
