import { join } from 'node:path'
import type { Runnable } from '@agentkit/core'
import { abortError, invalidArgument, withReplacedModels } from '@agentkit/core/internal'
import { readCases } from '../cases/read-cases.ts'
import type { NamedCase } from '../data/eval-case.ts'
import type { CaseResult, EvalReport } from '../data/eval-report.ts'
import type { ResultLine, StoredResult } from '../data/stored-result.ts'
import { limits } from '../limits.ts'
import { compareVariants } from '../report/compare.ts'
import { reportPieces } from '../report/report-pieces.ts'
import { summarize } from '../report/summarize.ts'
import { cutTexts, transcriptOf } from '../store/cut-texts.ts'
import { memberMessages } from '../store/member-messages.ts'
import { ResultsFile } from '../store/results-file.ts'
import { writePieces } from '../store/write-pieces.ts'
import { type EvalCassette, openCassette } from './eval-cassette.ts'
import { type EvalPlan, type EvaluateOptions, planOf } from './eval-options.ts'
import { agentHash, caseHash, resultKey, scorersHash } from './result-key.ts'
import { runCase } from './run-case.ts'
import { scoreRun } from './score-run.ts'

export type EvalRun = {
  report: EvalReport
  /** The folder of the files. */
  folder: string
  /** The results in the order of the report. */
  results: StoredResult[]
}

export type EvalProgress = { done: number; runs: number; reused: number }

type Task = { variant: string; agent: Runnable; case: NamedCase; repeat: number; key: string }

/** Does the work of `evaluate`, and reports progress for the command. */
export async function runEval(
  options: EvaluateOptions,
  onProgress: (progress: EvalProgress) => void = () => {},
): Promise<EvalRun> {
  const plan = planOf(options)
  if (plan.signal.aborted) throw abortError(plan.signal)
  const cases = await readCases(plan.cases)
  const tasks = await tasksOf(plan, cases)
  const cassette = plan.cassette && (await openCassette(plan.cassette))
  const folder = join(plan.out, plan.name)
  const file = new ResultsFile(folder)
  try {
    if (plan.fresh || cassette) await file.remove(new Set(tasks.map(({ key }) => key)))
    const stored = await file.read()
    const results = await runTasks(tasks, { plan, file, stored, cassette, onProgress })
    await cassette?.finish()
    const report = reportOf(plan, results)
    await writePieces(join(folder, 'report.json'), reportPieces(report))
    return { report, folder, results }
  } catch (error) {
    await cassette?.discard()
    throw error
  }
}

async function tasksOf(
  { variants, repeats, scorers, cassette }: EvalPlan,
  cases: readonly NamedCase[],
): Promise<Task[]> {
  const runs = variants.size * cases.length * repeats
  if (runs > limits.runs)
    throw invalidArgument(`The eval has ${runs} runs, more than ${limits.runs}. Use fewer repeats.`)
  // A replayed result never takes the place of one that a model has made.
  const scored = `${cassette?.mode === 'replay' ? 'replay ' : ''}${scorersHash(scorers)}`
  const hashed = cases.map((one) => ({ one, hash: caseHash(one) }))
  const tasks: Task[] = []
  for (const [variant, agent] of variants) {
    const agentKey = await agentHash(agent)
    for (const { one, hash } of hashed) {
      for (let repeat = 1; repeat <= repeats; repeat++) {
        tasks.push({ variant, agent, case: one, repeat, key: resultKey(variant, agentKey, hash, repeat, scored) })
      }
    }
  }
  return tasks
}

type Work = {
  plan: EvalPlan
  file: ResultsFile
  stored: ReadonlyMap<string, StoredResult>
  cassette: EvalCassette | undefined
  onProgress: (progress: EvalProgress) => void
}

/** Runs the tasks that have no stored result, some at once. */
async function runTasks(tasks: readonly Task[], work: Work): Promise<StoredResult[]> {
  const { plan, stored, cassette, onProgress } = work
  const results: StoredResult[] = []
  const groups = new Map<string, number[]>()
  let done = 0
  for (const [index, task] of tasks.entries()) {
    const known = stored.get(task.key)
    if (known && isComplete(known)) {
      results[index] = { ...known, passed: hasPassed(known, plan) }
      done++
      continue
    }
    // Equal requests are recorded and replayed in their order, so runs of one question follow each other.
    const group = cassette ? groupOf(task.case) : `${index}`
    const others = groups.get(group)
    if (others) others.push(index)
    else groups.set(group, [index])
  }
  const progress = { runs: tasks.length, reused: done }
  onProgress({ ...progress, done })
  // The first failure of an eval, such as a full disk, ends the others too.
  const failed = new AbortController()
  const signal = AbortSignal.any([plan.signal, failed.signal])
  const queue = groups.values()
  const worker = async (): Promise<void> => {
    for (const group of queue) {
      for (const index of group) {
        if (signal.aborted) throw abortError(signal)
        results[index] = await runTask(tasks[index] as Task, work, signal)
        onProgress({ ...progress, done: ++done })
      }
    }
  }
  const workers = Array.from({ length: plan.concurrency }, () =>
    worker().catch((error: unknown) => {
      failed.abort(error)
      throw error
    }),
  )
  const [failure] = (await Promise.allSettled(workers)).filter((one) => one.status === 'rejected')
  if (plan.signal.aborted) throw abortError(plan.signal)
  if (failure) throw failed.signal.reason
  return results
}

/** The group of runs with the same question, so that an edited list of cases keeps its recorded calls. */
function groupOf({ input, history }: NamedCase): string {
  return caseHash({ id: '', input, ...(history && { history }) }).slice(0, 32)
}

async function runTask(task: Task, { plan, file, cassette }: Work, signal: AbortSignal): Promise<StoredResult> {
  const run = (): Promise<ResultLine> => resultOf(task, plan, signal, cassette)
  const line = await (cassette ? withReplacedModels(cassette.replacement(groupOf(task.case)), run) : run())
  if (signal.aborted) throw abortError(signal)
  await file.append(line)
  const { input: _, messages: __, members: ___, ...result } = line
  return result
}

async function resultOf(
  { variant, agent, case: one, repeat, key }: Task,
  plan: EvalPlan,
  signal: AbortSignal,
  cassette: EvalCassette | undefined,
): Promise<ResultLine> {
  const { scorers, scorerTimeoutMs: timeoutMs } = plan
  const { result, error, events, durationMs: measuredMs } = await runCase(agent, one, signal)
  const durationMs = cassette?.durationOf(JSON.stringify([variant, one.id, repeat]), measuredMs) ?? measuredMs
  const { scores, reasons, missing, scoring } =
    result && !error
      ? await scoreRun({ case: one, result, events, durationMs, agent }, scorers, { signal, timeoutMs })
      : failedScores(plan)
  const members = memberMessages(events, result?.messages ?? [])
  const scored = { scores, ...(Object.keys(missing).length > 0 && { missing }) }
  return {
    key,
    variant,
    case: one.id,
    repeat,
    text: cutTexts(result?.text ?? '', limits.reportChars),
    ...(error && { error }),
    ...scored,
    ...(Object.keys(reasons).length > 0 && { reasons }),
    passed: hasPassed({ ...scored, ...(error && { error }) }, plan),
    ...(result && { finishReason: result.finishReason }),
    usage: result?.usage ?? {},
    ...(result?.cost && { cost: result.cost }),
    ...(scoring.length > 0 && { scoring }),
    durationMs,
    ...(one.tags && { tags: one.tags }),
    input: transcriptOf(one.input),
    messages: transcriptOf(result?.messages ?? []),
    ...(members.length > 0 && { members: transcriptOf(members) }),
  }
}

/** A run without an answer scores 0 by every scorer. */
function failedScores({ scorers }: EvalPlan): Awaited<ReturnType<typeof scoreRun>> {
  return { scores: Object.fromEntries(scorers.map(({ name }) => [name, 0])), reasons: {}, missing: {}, scoring: [] }
}

function hasPassed(
  { error, missing, scores }: Pick<CaseResult, 'error' | 'missing' | 'scores'>,
  plan: EvalPlan,
): boolean {
  return !error && !missing && Object.values(scores).every((score) => score >= plan.threshold)
}

/** Whether a stored result is not made again: a failure may have passed by now. */
function isComplete({ missing, error }: StoredResult): boolean {
  return !missing && !error
}

function reportOf(plan: EvalPlan, results: readonly StoredResult[]): EvalReport {
  const { name, seed, repeats, threshold, variants } = plan
  const scorers = plan.scorers.map((scorer) => scorer.name)
  const resultsOf = new Map([...variants.keys()].map((variant) => [variant, [] as StoredResult[]]))
  for (const result of results) resultsOf.get(result.variant)?.push(result)
  return {
    name,
    seed,
    repeats,
    threshold,
    variants: Object.fromEntries(
      [...resultsOf].map(([variant, own]) => [variant, summarize(variant, own, { scorers, seed, repeats })]),
    ),
    comparisons: compareVariants(resultsOf, { scorers, seed }),
    results: results.map(({ variant, case: id, repeat, text, error, scores, reasons, missing, passed }) => ({
      variant,
      case: id,
      repeat,
      text,
      ...(error && { error }),
      scores,
      ...(reasons && { reasons }),
      ...(missing && { missing }),
      passed,
    })),
  }
}
