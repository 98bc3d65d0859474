import { existsSync, readFileSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AgentKitError, type Model } from '@agentkit/core'
import { isRecord, makeFolder } from '@agentkit/core/internal'
import { limits } from '../limits.ts'
import { storageError } from '../store/storage-error.ts'
import { writePieces } from '../store/write-pieces.ts'
import type { EvaluateOptions } from './eval-options.ts'

/** Records or replays the model calls of an eval, and the durations of its runs. */
export type EvalCassette = {
  /** @param group the runs whose calls a replay separates from the calls of other runs at the same time */
  replacement(group: string): (model: Model) => Model
  /** The duration of a run: the measured one, which is recorded, or the recorded one; 0 where there is none. */
  durationOf(run: string, measuredMs: number): number
  /** Called when all runs have ended. */
  finish(): Promise<void>
  /** Called otherwise: an earlier recording stays. */
  discard(): Promise<void>
}

/**
 * Opens a cassette, of the calls of agents and of judges.
 *
 * Beside it is `<file>.durations.json`, with the durations of the runs, so that a replay reports them. A recording replaces
 * both files once all runs have ended.
 *
 * @throws AgentKitError `not-found` for a replay of a missing file; `unreadable-file` for a damaged one; `storage` for a
 *   recording into a folder that cannot be made
 */
export async function openCassette({ file, mode }: NonNullable<EvaluateOptions['cassette']>): Promise<EvalCassette> {
  const { record, replay } = await import('@agentkit/testing')
  const durationsFile = `${file}.durations.json`
  if (mode === 'replay') {
    if (!existsSync(file)) {
      const fix = 'Record the eval: agentkit eval <file> --record, or cassette: { file, mode: "record" }.'
      throw new AgentKitError('not-found', `There is no cassette ${file}. ${fix}`)
    }
    const cassette = replay(file)
    const durations = readDurations(durationsFile)
    return {
      replacement: (group) => once(({ id }) => cassette.model(id, { group })),
      // How long a replay itself takes is another figure each time.
      durationOf: (run) => durations[run] ?? 0,
      finish: async () => {},
      discard: async () => {},
    }
  }
  const durations: Record<string, number> = {}
  // The recording of a process continues in a file that it has begun, so each eval has one of its own.
  const unfinished = `${file}.${crypto.randomUUID()}.tmp`
  // Otherwise each run would fail by it.
  try {
    makeFolder(dirname(file))
    await removeForgotten(file)
  } catch (cause) {
    throw storageError(file, cause)
  }
  return {
    replacement: (group) => once((model) => record(model, unfinished, { group })),
    durationOf(run, measuredMs) {
      durations[run] = measuredMs
      return measuredMs
    },
    async finish() {
      if (!existsSync(unfinished)) {
        throw new AgentKitError('invalid-argument', `No model was called, so ${file} was not recorded.`)
      }
      const sorted = Object.fromEntries(Object.entries(durations).sort(([one], [other]) => (one < other ? -1 : 1)))
      await writePieces(durationsFile, [`${JSON.stringify(sorted, null, 1)}\n`])
      await rename(unfinished, file).catch((cause: unknown) => {
        throw storageError(file, cause)
      })
    },
    discard: () => rm(unfinished, { force: true }),
  }
}

/** Removes what evals have left whose processes were killed: files that no recording has written for a day. */
async function removeForgotten(file: string): Promise<void> {
  const folder = dirname(file)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || !unfinishedName.test(name)) continue
    const path = join(folder, name)
    // Another eval may remove it too.
    const { mtimeMs = Number.POSITIVE_INFINITY } = (await stat(path).catch(() => undefined)) ?? {}
    if (mtimeMs < Date.now() - limits.forgottenMs) await rm(path, { force: true })
  }
}

const unfinishedName = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/

/** The same model for each call of one. */
function once(replace: (model: Model) => Model): (model: Model) => Model {
  const known = new Map<Model, Model>()
  return (model) => {
    const replaced = known.get(model) ?? replace(model)
    known.set(model, replaced)
    return replaced
  }
}

function readDurations(file: string): Record<string, number> {
  if (!existsSync(file)) return {}
  try {
    const durations: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isRecord(durations) && Object.values(durations).every((value) => typeof value === 'number')) {
      return durations as Record<string, number> // checked
    }
  } catch {
    // Reported below.
  }
  throw new AgentKitError('unreadable-file', `${file} has no durations. Record the eval again.`)
}
