import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'
import type { Store, StoreSpace } from '../store.ts'
import { closedError } from './sqlite-database.ts'
import { toStorageError } from './sqlite-errors.ts'
import { openSQLiteStore } from './sqlite-store.ts'

/**
 * Indexes in a folder, each generation a SQLite file `index-<generation>.db`. Several processes may use the folder.
 *
 * @param folder created if it is missing, readable by its owner only
 */
export function sqliteSpace(folder: string): StoreSpace {
  const opened = new Map<Store, string>()
  let isClosed = false

  const pathOf = (generation: string): string => {
    if (!/^[\w-]+$/.test(generation)) {
      throw new AgentKitError('invalid-argument', `"${generation}" is no name of a generation. Use letters and digits.`)
    }
    return join(folder, `index-${generation}.db`)
  }

  return {
    async generations() {
      try {
        const names = await readdir(folder)
        return names.flatMap((name) => name.match(/^index-([\w-]+)\.db$/)?.[1] ?? [])
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return []
        throw toStorageError(error, folder)
      }
    },

    async open(generation, options) {
      if (isClosed) throw closedError()
      const store = await openSQLiteStore(pathOf(generation), options)
      opened.set(store, generation)
      const close = async (): Promise<void> => {
        opened.delete(store)
        await store.close()
      }
      return { ...store, close }
    },

    async drop(generation) {
      const path = pathOf(generation)
      for (const [store, name] of opened) {
        if (name !== generation) continue
        opened.delete(store)
        await store.close()
      }
      // The database first: the other files are useless without it.
      for (const file of [path, `${path}-wal`, `${path}-shm`]) {
        await rm(file, { force: true }).catch((cause: unknown) => {
          // This happens on Windows, while another process has the file open.
          const message = `The index ${file} cannot be deleted. Stop what uses it, or delete it by hand.`
          throw new AgentKitError('storage', message, { cause, retryable: true })
        })
      }
    },

    async close() {
      isClosed = true
      const stores = [...opened.keys()]
      opened.clear()
      for (const store of stores) await store.close()
    },
  }
}
