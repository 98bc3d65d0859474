import { resolve } from 'node:path'
import { isRecord } from '@agentkit/core/internal'
import type { EvaluateOptions } from '@agentkit/evals/internal'
import { separateUserFiles } from '../agents/user-files.ts'
import { deferMissingKeys } from '../models/named-model.ts'
import { beginLoading } from '../util/loaded-file.ts'
import { closeWithTelemetry } from '../util/use-telemetry.ts'
import { importFile } from './common/import-file.ts'
import { UsageError } from './common/usage-error.ts'

export type LoadedEval = {
  options: EvaluateOptions
  /** Closes the agents and their resources, and exports the rest of their traces. */
  close(): Promise<void>
}

/**
 * The options of `evaluate` that a file exports. Typed functions in it are tools, as with `agentkit/register`.
 *
 * @param record whether models are called and recorded; otherwise a cassette of the eval is replayed, unless it has a
 *   `mode`, and needs no key
 * @throws UsageError for a file that is not code or has no options, and for `record` without a cassette; errors of the
 *   file itself
 */
export async function loadEval(file: string, record: boolean): Promise<LoadedEval> {
  beginLoading({ served: new Set(), perUserFiles: new Map() })
  deferMissingKeys()
  const fix = 'Pass a file whose default export is the options of `evaluate`; their `cases` may be a file.'
  const { default: exported } = await importFile(resolve(file), file, fix)
  if (!isRecord(exported) || !('scorers' in exported)) {
    throw new UsageError(
      `"${file}" has no eval. Its default export is the options: export default { agent, cases, scorers }.`,
    )
  }
  // `evaluate` checks them.
  const given = exported as EvaluateOptions & { cassette?: { file: string; mode?: 'replay' | 'record' } }
  const { cassette } = given
  if (record && cassette === undefined) {
    throw new UsageError(
      `--record needs a file: add cassette: { file: "…", mode: "replay" } to the options in "${file}".`,
    )
  }
  const mode = record ? 'record' : (cassette?.mode ?? 'replay')
  const options: EvaluateOptions = { ...given, ...(isRecord(cassette) && { cassette: { ...cassette, mode } }) }
  const agents = agentsOf(options)
  await separateUserFiles(agents)
  // A missing key or package ends the command, not each of its runs.
  if (options.cassette?.mode !== 'replay') await loadModels(agents)
  const close = (): Promise<void> => {
    return closeWithTelemetry(() => Promise.allSettled(agents.map(async (agent) => agent.close?.())))
  }
  return { options, close }
}

type AgentOfEval = { models?: readonly { load?(): Promise<void> }[]; close?(): Promise<void> }

function agentsOf({ agent, variants }: EvaluateOptions): AgentOfEval[] {
  return [agent, ...(isRecord(variants) ? Object.values(variants) : [])].filter(
    (one) => isRecord(Object(one)) && Boolean(one),
  ) as AgentOfEval[]
}

async function loadModels(agents: readonly AgentOfEval[]): Promise<void> {
  for (const { models = [] } of agents) await Promise.all(models.map((model) => model.load?.()))
}
