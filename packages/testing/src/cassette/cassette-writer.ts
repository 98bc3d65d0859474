import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AgentKitError, type Model, type ModelEvent, type ModelRequest } from '@agentkit/core'
import { makeFolder, systemCode } from '@agentkit/core/internal'
import { formatEntry } from './format-entry.ts'
import { formatMoments, parseMoments } from './moments.ts'
import { cassetteHead, type RecordedCall } from './parse-cassette.ts'
import { readCassette } from './read-cassette.ts'
import { toRecordedError } from './recorded-error.ts'
import { scrubEvents } from './scrub.ts'

/** A call during its recording. */
export type OpenCall = {
  record(event: ModelEvent): void
  /**
   * Writes the call. Called once.
   * @throws AgentKitError `storage` when the file cannot be written
   */
  end(how: CallEnd): void
}

/** How a call is written; see `RecordOptions`. */
export type CallOptions = { append?: boolean | undefined; group?: string | undefined }

/** The model finished, its reader left or aborted, or it failed. */
export type CallEnd = 'done' | 'left' | { error: unknown }

/**
 * Writes the calls of one process to one file, each when it ends. Entries are appended in one write, so concurrent agents
 * and further processes may write to the same file.
 */
export class CassetteWriter {
  readonly #file: string
  readonly #models = new Set<Model>()
  readonly #written = new Map<string, string>()
  #isStarted = false
  #calls = 0
  #moment = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Registers a model. Its metadata is written even when it is never called: a run may depend on it. */
  add(model: Model): void {
    this.#models.add(model)
  }

  /**
   * @param append whether the content of the file is kept
   * @param group whose call it is
   * @throws AgentKitError `storage` when the file cannot be written
   */
  begin(model: Model, request: ModelRequest, { append = false, group }: CallOptions): OpenCall {
    this.#start(append)
    const call = ++this.#calls
    const at = [++this.#moment]
    const bursts: ModelEvent[][] = []
    let lastEventAt = performance.now()
    let isSameTurn = false
    let isOpen = true
    return {
      record: (event) => {
        if (!isOpen) return
        lastEventAt = performance.now()
        // A copy, because the reader may change the event. A value that is not JSON violates the contract of a Model, and is kept.
        const copy: ModelEvent = JSON.parse(JSON.stringify(event) ?? 'null')
        if (isSameTurn && this.#moment === at.at(-1)) {
          bursts.at(-1)?.push(copy)
          return
        }
        bursts.push([copy])
        at.push(++this.#moment)
        isSameTurn = true
        setImmediate(() => {
          isSameTurn = false
        })
      },
      end: (how) => {
        if (!isOpen) return
        isOpen = false
        const ended: Partial<RecordedCall> = typeof how === 'object' ? toRecordedError(how.error) : {}
        const isFinished = bursts.at(-1)?.at(-1)?.type === 'finish'
        if (how === 'left' && !isFinished) ended.left = Math.round(performance.now() - lastEventAt)
        if (Object.keys(ended).length > 0) at.push(++this.#moment)
        const own = { call, model: model.id, ...(group !== undefined && { group }) }
        const recorded = { ...own, request, events: scrubEvents(bursts), ...ended }
        this.#write({ ...recorded, at: formatMoments(at) } satisfies RecordedCall)
      },
    }
  }

  #start(append: boolean): void {
    if (this.#isStarted) return
    if (!this.#begun(append)) this.#continueFile()
    this.#isStarted = true
  }

  /** @returns whether the file is started; with `append`, an existing one is not */
  #begun(append: boolean): boolean {
    try {
      makeFolder(dirname(this.#file))
      writeFileSync(this.#file, `${formatEntry(cassetteHead)}\n`, { flag: append ? 'wx' : 'w' })
      return true
    } catch (cause) {
      if (append && systemCode(cause) === 'EEXIST') return false
      throw unwritable(this.#file, cause)
    }
  }

  #continueFile(): void {
    const { calls } = readCassette(this.#file)
    for (const { call, at } of calls) {
      this.#calls = Math.max(this.#calls, call)
      this.#moment = Math.max(this.#moment, ...parseMoments(at).slice(-1))
    }
  }

  #write(call: RecordedCall): void {
    for (const { id, info } of this.#models) {
      const entry = formatEntry({ model: id, info })
      if (!info || this.#written.get(id) === entry) continue
      this.#append(entry)
      this.#written.set(id, entry)
    }
    this.#append(formatEntry(call))
  }

  #append(entry: string): void {
    try {
      appendFileSync(this.#file, `${entry}\n`)
    } catch (cause) {
      throw unwritable(this.#file, cause)
    }
  }
}

function unwritable(file: string, cause: unknown): AgentKitError {
  return new AgentKitError('storage', `The cassette ${file} cannot be written: ${systemCode(cause)}.`, { cause })
}

const writers = new Map<string, CassetteWriter>()

/** The process's only writer of a file: several models are recorded into one cassette. */
export function cassetteWriter(file: string): CassetteWriter {
  const path = resolve(file)
  const writer = writers.get(path) ?? new CassetteWriter(path)
  writers.set(path, writer)
  return writer
}
