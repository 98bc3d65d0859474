import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { messageOf } from '@agentkit/core/internal'
import type { ChunkSlices, SpoolParts } from '../../data/chunk-slices.ts'
import { readSpool } from '../../data/spooled-chunks.ts'

/** The passages of a large file, on disk until they are indexed. */
export interface SpooledChunks extends ChunkSlices {
  /** Frees the disk space. */
  close(): void
}

/** Temporary storage for the passages of large files, to bound the memory. */
export interface Spools {
  open(): Spool
  /** Closes all open files. */
  close(): void
}

/** Receives passages packed by `packBytes`. */
export interface Spool {
  add(bytes: Uint8Array, count: number): void
  /** Discards the added passages. */
  clear(): void
  chunks(file: string): SpooledChunks
  close(): void
}

let opened = 0

/** @param folder for temporary files, which have no name while they are in use: a killed process leaves none */
export function createSpools(folder: string): Spools {
  const open = new Set<Spool>()
  return {
    open() {
      const spool = stored(folder, () => openSpool(folder, () => open.delete(spool)))
      open.add(spool)
      return spool
    },
    close() {
      for (const spool of open) spool.close()
    },
  }
}

function openSpool(folder: string, onClose: () => void): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `passages-${process.pid}-${opened++}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  // On Windows the name stays until the file is closed.
  rmSync(path, { force: true })
  let parts: { at: number; bytes: number }[] = []
  let size = 0
  let length = 0
  let isClosed = false

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    closeSync(descriptor)
    onClose()
  }
  return {
    close,
    add(bytes, count) {
      // Parts that arrive after an abort.
      if (isClosed) return
      stored(folder, () => {
        for (let written = 0; written < bytes.length; ) {
          written += writeSync(descriptor, bytes, written, bytes.length - written, size + written)
        }
      })
      parts.push({ at: size, bytes: bytes.length })
      size += bytes.length
      length += count
    },
    clear() {
      if (isClosed) return
      ftruncateSync(descriptor)
      parts = []
      size = 0
      length = 0
    },
    chunks(file) {
      const spool: SpoolParts = { file, descriptor, parts }
      return { length, spool, slices: () => readSpool(spool), close }
    },
  }
}

/** @throws AgentKitError `storage` for errors of the file system, with the fix */
function stored<Result>(folder: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const message = `The passages of a large file cannot be kept in "${folder}": ${messageOf(error)}. Free space on its disk, or name another \`indexPath\`.`
    throw new AgentKitError('storage', message, { cause: error })
  }
}
