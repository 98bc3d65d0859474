import type { Runnable } from '@agentkit/core'
import {
  checkOptions,
  hasMethod,
  invalidArgument,
  isAny,
  isFlag,
  isRecord,
  isText,
  type OptionRule,
} from '@agentkit/core/internal'
import type { EvalCase } from '../data/eval-case.ts'
import type { Scorer } from '../data/scorer.ts'
import { limits } from '../limits.ts'

/** The options of `evaluate`. */
export type EvaluateOptions = {
  /** The folder of the results below `out`; the id of the agent, or `eval`, when absent. */
  name?: string
  /** The agent or swarm; it is the only variant, by its id. Pass either this or `variants`. */
  agent?: Runnable
  /** The agents to compare, by name; the others are compared with the first. */
  variants?: Record<string, Runnable>
  /** A list, or the path of a `.jsonl` or `.csv` file. */
  cases: readonly EvalCase[] | string
  scorers: readonly Scorer[]
  /** Runs at once; 4 when absent. */
  concurrency?: number
  /** Runs of each case; 1 when absent. */
  repeats?: number
  /** The seed of the random numbers of the statistics; 1 when absent. */
  seed?: number
  /** A case passes when each of its scores is at least this; 1 when absent. */
  threshold?: number
  /** `record` calls the models, and writes a cassette; `replay` calls none, and needs no key. */
  cassette?: { file: string; mode: 'replay' | 'record' }
  /** The folder of all evals; `agentkit-data/evals` when absent. */
  out?: string
  signal?: AbortSignal
  /** Whether results that are stored are made again; false when absent. */
  fresh?: boolean
  /** How long one scorer may take for one run, in milliseconds; 2 minutes when absent. */
  scorerTimeoutMs?: number
}

/** Options with their defaults. */
export type EvalPlan = Required<Omit<EvaluateOptions, 'agent' | 'variants' | 'cassette' | 'signal'>> & {
  variants: ReadonlyMap<string, Runnable>
  cassette: EvaluateOptions['cassette']
  signal: AbortSignal
}

const isSeed: OptionRule = { is: 'a whole number', holds: Number.isSafeInteger }
const isShare: OptionRule = {
  is: 'a number from 0 to 1',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
}

function isUpTo(most: number): OptionRule {
  return {
    is: `a whole number from 1 to ${most.toLocaleString('en')}`,
    holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most,
  }
}

const rules = {
  name: {
    is: 'a name of at most 100 letters, digits, spaces, ".", "_" and "-", which begins with a letter or a digit',
    holds: (value) =>
      typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(value) && !/[. ]$/.test(value),
  },
  agent: hasMethod('stream', 'an agent or a swarm'),
  variants: isAny,
  cases: isAny,
  scorers: isAny,
  concurrency: isUpTo(limits.concurrency),
  repeats: isUpTo(limits.repeats),
  seed: isSeed,
  threshold: isShare,
  cassette: (cassette: unknown) => checkCassette(cassette),
  out: { is: 'the path of a folder', holds: (value) => typeof value === 'string' && value !== '' },
  signal: { is: 'an AbortSignal', holds: (value) => value instanceof AbortSignal },
  fresh: isFlag,
  scorerTimeoutMs: isUpTo(2 ** 31 - 1),
} satisfies Record<keyof EvaluateOptions, OptionRule | ((value: never) => unknown)>

/** @throws AgentKitError `invalid-argument` for the first wrong option, with the fix */
export function planOf(options: EvaluateOptions): EvalPlan {
  checkOptions(options, rules, { of: 'evaluate', example: '{ agent, cases, scorers: [exact()] }' })
  const variants = variantsOf(options)
  const [id, ...others] = variants.keys()
  const plan = {
    name: options.name ?? (others.length === 0 && id !== undefined ? id : 'eval'),
    cases: options.cases,
    scorers: scorersOf(options.scorers),
    concurrency: options.concurrency ?? 4,
    repeats: options.repeats ?? 1,
    seed: options.seed ?? 1,
    threshold: options.threshold ?? 1,
    out: options.out ?? 'agentkit-data/evals',
    fresh: options.fresh ?? false,
    scorerTimeoutMs: options.scorerTimeoutMs ?? limits.scorerMs,
  }
  if (!rules.name.holds(plan.name)) throw invalidArgument(`\`evaluate.name\` is ${rules.name.is}.`)
  return { ...plan, variants, cassette: options.cassette, signal: options.signal ?? new AbortController().signal }
}

function variantsOf({ agent, variants }: EvaluateOptions): Map<string, Runnable> {
  if ((agent === undefined) === (variants === undefined)) {
    throw invalidArgument('Pass `agent`, or `variants` to compare several: { agent } or { variants: { old, new } }.')
  }
  if (agent) return new Map([[agent.id, agent]])
  const is = 'an object of agents by name, such as { old, new }'
  if (!isRecord(variants)) throw invalidArgument(`\`evaluate.variants\` is ${is}.`)
  const entries = Object.entries(variants)
  if (entries.length === 0 || entries.length > limits.variants) {
    throw invalidArgument(`\`evaluate.variants\` is ${is}, of 1 to ${limits.variants}.`)
  }
  for (const [name, variant] of entries) {
    if (rules.agent.holds(variant)) continue
    throw invalidArgument(`\`evaluate.variants.${name.slice(0, 60)}\` is an agent or a swarm.`)
  }
  return new Map(entries)
}

function scorersOf(scorers: readonly Scorer[]): readonly Scorer[] {
  if (!Array.isArray(scorers) || scorers.length === 0 || scorers.length > limits.scorers) {
    throw invalidArgument(`\`evaluate.scorers\` is a list of 1 to ${limits.scorers} scorers, such as [exact()].`)
  }
  const names = new Set<string>()
  for (const scorer of scorers) {
    const isCallable = typeof scorer === 'function'
    if (isCallable || typeof scorer?.score !== 'function' || typeof scorer.name !== 'string' || scorer.name === '') {
      const hint = isCallable ? ' A scorer of this package is made by calling it: exact().' : ''
      throw invalidArgument(`A scorer is an object of \`name\` and \`score\`.${hint}`)
    }
    if (names.has(scorer.name)) {
      throw invalidArgument(`Two scorers have the name "${scorer.name}". Give one another: { ...scorer, name: "…" }.`)
    }
    names.add(scorer.name)
  }
  return scorers
}

function checkCassette(cassette: unknown): void {
  const isFile: OptionRule = { is: 'the path of a cassette', holds: (value) => isText.holds(value) && value !== '' }
  const isMode: OptionRule = {
    is: '"replay" or "record"',
    holds: (value) => value === 'replay' || value === 'record',
  }
  const example = '{ file: "evals/support.cassette", mode: "replay" }'
  checkOptions(cassette as object, { file: isFile, mode: isMode }, { of: 'evaluate.cassette', example }) // checked first
  const { file, mode } = cassette as Record<string, unknown>
  if (file === undefined || mode === undefined)
    throw invalidArgument(`\`evaluate.cassette\` is an object such as ${example}.`)
}
