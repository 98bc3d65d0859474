import { AgentKitError, invalidArgument } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { linkSignal } from '../util/async/abort.ts'
import { limitConcurrency } from '../util/async/concurrency.ts'
import { beginStep, type Flow, type StepContext, type WorkflowStep } from './step.ts'
import { callFunction } from './steps.ts'
import type { LoopOptions } from './work.ts'

type Choose = (value: unknown, context: StepContext) => unknown

/** The step whose key a function returns. */
export function branchStep(choose: Choose, routes: ReadonlyMap<unknown, WorkflowStep>, label: string): WorkflowStep {
  return {
    agents: [...routes.values()].flatMap(({ agents }) => agents),
    async run(value, flow) {
      await beginStep(flow)
      const key = await callFunction(label, flow, (context) => choose(value, context))
      // The keys of a record are texts; those of a condition are not.
      const isWritten = typeof key === 'number' || typeof key === 'boolean'
      const step = routes.get(key) ?? (isWritten ? routes.get(String(key)) : undefined)
      if (step) return step.run(value, flow)
      const known = [...routes.keys()].map((name) => `"${String(name)}"`).join(', ')
      throw invalidArgument(`The branch chose "${String(key)}". There are: ${known}.`)
    },
  }
}

/** One of two steps by a condition. Without a second step the value stays as it is. */
export function conditionStep(
  when: Choose,
  then: WorkflowStep,
  otherwise: WorkflowStep = unchanged,
  label = 'branch',
): WorkflowStep {
  const routes = new Map([
    [true, then],
    [false, otherwise],
  ])
  return branchStep(async (value, context) => Boolean(await when(value, context)), routes, label)
}

const unchanged: WorkflowStep = { agents: [], run: async (value) => value }

/** Repeats a step, each time with the value that it returned before. */
export function loopStep(body: WorkflowStep, options: LoopOptions<unknown>, label: string): WorkflowStep {
  const { maxIterations, while: shouldContinue, until: isDone } = options
  return {
    agents: body.agents,
    async run(given, flow) {
      let value = given
      const holds = (condition: LoopOptions<unknown>['while'], iteration: number): Promise<boolean | undefined> =>
        callFunction(label, flow, () => condition?.(value, iteration))
      for (let iteration = 0; ; iteration++) {
        await beginStep(flow)
        if (shouldContinue && !(await holds(shouldContinue, iteration))) return value
        if (iteration === maxIterations) break
        value = await body.run(value, flow)
        if (isDone && (await holds(isDone, iteration + 1))) return value
      }
      if (shouldContinue || isDone) {
        const message = `The step "${label}" was ended by its \`maxIterations\`: ${maxIterations}. Raise it if the loop needs more.`
        flow.run.state.warnings.push(message)
      }
      return value
    },
  }
}

/** Runs steps in parallel, at most 8 at a time. A list returns a list, a record a record. A failure aborts the others. */
export function parallelStep(steps: readonly WorkflowStep[] | Readonly<Record<string, WorkflowStep>>): WorkflowStep {
  const entries = Object.entries<WorkflowStep>({ ...steps })
  return {
    agents: entries.flatMap(([, step]) => step.agents),
    async run(value, flow) {
      const outputs = await runAll(
        entries.map(([, step]) => step),
        value,
        flow,
      )
      if (Array.isArray(steps)) return outputs
      return Object.fromEntries(entries.map(([key], index) => [key, outputs[index]]))
    },
  }
}

async function runAll(steps: readonly WorkflowStep[], value: unknown, flow: Flow): Promise<unknown[]> {
  const controller = new AbortController()
  const { signal } = controller
  const unlink = linkSignal(controller, flow.signal)
  const limited = limitConcurrency(limits.parallelSteps)
  let failure: { error: unknown } | undefined
  const running = steps.map((step) => limited(() => step.run(value, { ...flow, signal })))
  for (const outcome of running) {
    outcome.catch((error) => {
      failure ??= { error }
      controller.abort(new AgentKitError('aborted', 'A parallel step failed.', { cause: error }))
    })
  }
  // Every step emits its last events before the run emits its own.
  const settled = await Promise.allSettled(running).finally(unlink)
  if (failure) throw failure.error
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined))
}
