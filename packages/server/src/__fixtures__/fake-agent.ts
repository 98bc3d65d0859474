import { type AgentEvent, type AgentEventBody, AgentKitError, type AgentRun, isAgentKitError, type InputPart, memorySessions, type Runnable, type RunOptions, type RunResult } from '@agentkit/core'
import { abortError, toErrorInfo } from '@agentkit/core/internal'

/**
 * A step of a scripted run: emits an event, waits for a number of milliseconds, for its abort or (ignoring aborts) for a
 * promise, or fails.
 */
export type Act = AgentEventBody | { wait: number } | { until: Promise<unknown> } | 'hang' | { fail: AgentKitError } | { throwRaw: unknown }

export type FakeCall = {
  input: string | InputPart[]
  options: RunOptions
  /** Whether the run's signal has aborted. */
  isAborted: boolean
  /** Whether the run has ended. */
  ended: boolean
}

export type FakeAgent = Runnable & { calls: FakeCall[] }

/** A Runnable whose runs follow a script; without a `run-end` in it they end with "stop" and the emitted text. */
export function fakeAgent(script: Iterable<Act> | (() => Iterable<Act>) = [text('Hello.')]): FakeAgent {
  const calls: FakeCall[] = []
  return {
    id: 'fake',
    name: 'Fake',
    samplePrompts: ['What can you do?'],
    sessions: memorySessions(),
    calls,
    stream(input, options = {}) {
      const call: FakeCall = { input, options, isAborted: false, ended: false }
      calls.push(call)
      return fakeRun(typeof script === 'function' ? script() : script, call)
    },
    resume() {
      throw new AgentKitError('unsupported', 'A fake run cannot wait.')
    },
    async decide() {
      throw new AgentKitError('unsupported', 'A fake run cannot wait.')
    },
    cancel: async () => false,
    runs: async () => [],
  }
}

export function text(value: string): Act {
  return { type: 'text-delta', text: value }
}

/** The events of a plain answer. */
export const plainRun: Act[] = [{ type: 'run-start' }, { type: 'step-start', step: 1 }, text('Hello'), text(' there.')]

function fakeRun(script: Iterable<Act>, call: FakeCall): AgentRun {
  const controller = new AbortController()
  const { signal } = controller
  const { signal: outer, timeoutMs } = call.options
  if (outer?.aborted) controller.abort(outer.reason)
  outer?.addEventListener('abort', () => controller.abort(outer.reason))
  const late = (): void => controller.abort(new AgentKitError('timeout', 'The run is too slow.', { phase: 'run' }))
  const deadline = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
  signal.addEventListener('abort', () => {
    call.isAborted = true
  })
  const runId = 'run_fake'
  const end = Promise.withResolvers<RunResult>()
  void end.promise.catch(() => {}).then(() => clearTimeout(deadline))
  const events = play(script, runId, signal, end)
  let started = false
  return {
    runId,
    get result() {
      if (!started) {
        started = true
        void drain(events)
      }
      return end.promise.finally(() => {
        call.ended = true
      })
    },
    cancel: () => controller.abort(new AgentKitError('aborted', 'cancelled')),
    approve() {},
    async answer() {},
    async *partials() {},
    async *elements() {},
    deny() {},
    async *[Symbol.asyncIterator]() {
      started = true
      try {
        yield* events
      } finally {
        controller.abort()
        call.ended = true
      }
    },
  }
}

async function drain(events: AsyncIterable<AgentEvent>): Promise<void> {
  try {
    for await (const _event of events) {
      // The cast holds: only the result is used.
    }
  } catch {
    // The result carries it.
  }
}

async function* play(
  script: Iterable<Act>,
  runId: string,
  signal: AbortSignal,
  end: PromiseWithResolvers<RunResult>,
): AsyncGenerator<AgentEvent, undefined> {
  let seq = 0
  const place = () => ({ seq: ++seq, runId, path: ['fake'] })
  const nothing = { output: undefined, approvals: [], messages: [], sources: [], warnings: [] }
  const base = { runId, usage: {}, steps: 1, ...nothing }
  let answer = ''
  try {
    for (const act of script) {
      if (signal.aborted) throw abortError(signal)
      if (act === 'hang') await aborted(signal)
      else if ('wait' in act) await Promise.race([new Promise((go) => setTimeout(go, act.wait)), aborted(signal)])
      else if ('until' in act) await act.until
      else if ('fail' in act) throw act.fail
      else if ('throwRaw' in act) throw act.throwRaw
      else {
        if (act.type === 'text-delta') answer += act.text
        if (act.type === 'run-end') {
          const { finishReason, text, usage, cost } = act
          end.resolve({ ...base, finishReason, text, usage, ...(cost && { cost }) })
        }
        yield { ...place(), ...act }
        if (act.type === 'run-end') return
      }
    }
    end.resolve({ ...base, finishReason: 'stop', text: answer })
    yield { ...place(), type: 'run-end', finishReason: 'stop', text: answer, usage: {} }
  } catch (error) {
    if (!isAgentKitError(error)) {
      end.reject(error)
      throw error
    }
    const finishReason = error.code === 'aborted' ? 'aborted' : 'error'
    end.resolve({ ...base, finishReason, text: answer, error })
    yield { ...place(), type: 'run-end', finishReason, text: answer, usage: {}, error: toErrorInfo(error) }
  } finally {
    // If the reader has left before the end.
    end.resolve({ ...base, finishReason: 'aborted', text: answer })
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError(signal))
    signal.addEventListener('abort', () => reject(abortError(signal)))
  })
}
