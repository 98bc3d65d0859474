import { inspect } from 'node:util'
import { AgentKitError, type Cost, type Usage } from '@agentkit/core'
import { abortError, firstChars, isRecord, messageOf, redactSecrets, untilAborted } from '@agentkit/core/internal'
import type { Score, ScoredRun, Scorer } from '../data/scorer.ts'
import { limits } from '../limits.ts'

/** The scores of one run, by scorer. */
export type RunScores = {
  scores: Record<string, number>
  reasons: Record<string, string>
  /** Why a scorer has no score. */
  missing: Record<string, string>
  /** The usage of the scorers themselves. */
  scoring: { usage: Usage; cost?: Cost }[]
}

/** Calls each scorer, one after the other. @throws AgentKitError only when the signal aborts */
export async function scoreRun(
  run: ScoredRun,
  scorers: readonly Scorer[],
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<RunScores> {
  const all: RunScores = { scores: {}, reasons: {}, missing: {}, scoring: [] }
  for (const scorer of scorers) {
    if (signal.aborted) throw abortError(signal)
    try {
      const score = await within(timeoutMs, signal, (own) => scorer.score(copyOf(run), own))
      const { score: value, reason, usage, cost } = checkScore(score)
      all.scores[scorer.name] = value
      if (reason !== undefined) all.reasons[scorer.name] = firstChars(redactSecrets(reason), limits.reasonChars)
      if (usage) all.scoring.push({ usage, ...(cost && { cost }) })
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      const message = messageOf(error) || 'it threw.'
      all.missing[scorer.name] = firstChars(redactSecrets(message), limits.reasonChars)
    }
  }
  return all
}

/** Each scorer has its own: one that sorts a list, or sets a field, changes no other score. */
function copyOf({ case: one, result, events, ...run }: ScoredRun): ScoredRun {
  const { messages, sources, warnings } = result
  const lists = { messages: [...messages], sources: [...sources], warnings: [...warnings] }
  const expected = Array.isArray(one.expected) && { expected: [...one.expected] }
  return { ...run, case: { ...one, ...expected }, result: { ...result, ...lists }, events: [...events] }
}

/** The work, or the error of its time. The timer keeps the process alive, as the work may wait for nothing. */
async function within<Value>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  const message = `The scorer took longer than ${timeoutMs} ms.`
  const timer = setTimeout(() => controller.abort(new AgentKitError('timeout', message, { phase: 'tool' })), timeoutMs)
  try {
    return await untilAborted(controller.signal, Promise.resolve(work(controller.signal)))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

function checkScore(given: Score): { score: number; reason?: string; usage?: Usage; cost?: Cost } {
  const { score: value, reason, usage, cost } = isRecord(given) ? given : { score: given }
  const score = typeof value === 'boolean' ? Number(value) : value
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const shown = inspect(given, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 100)
    throw new AgentKitError(
      'invalid-argument',
      `The scorer returned ${shown}. A score is a number from 0 to 1, or a boolean.`,
    )
  }
  return {
    score,
    ...(typeof reason === 'string' && { reason }),
    ...(isRecord(usage) && { usage }),
    ...(isRecord(cost) && Number.isFinite(cost.usd) && { cost }),
  }
}
