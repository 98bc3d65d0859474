import { AgentKitError } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { linkSignal } from '../util/abort.ts'
import { limitConcurrency } from '../util/concurrency.ts'
import type { Flow, Step } from './step.ts'

/** Steps at once, at most 8; of a list a list, of a record a record. Where one fails, the others are stopped. */
export function parallel(steps: readonly Step[] | Readonly<Record<string, Step>>): Step {
  const entries = Object.entries<Step>({ ...steps })
  return {
    agents: entries.flatMap(([, step]) => step.agents),
    async run(value, flow) {
      const outputs = await atOnce(
        entries.map(
          ([, step]) =>
            (inner) =>
              step.run(value, inner),
        ),
        flow,
      )
      if (Array.isArray(steps)) return outputs
      return Object.fromEntries(entries.map(([key], index) => [key, outputs[index]]))
    },
  }
}

async function atOnce(works: readonly ((flow: Flow) => Promise<unknown>)[], flow: Flow): Promise<unknown[]> {
  const controller = new AbortController()
  const { signal } = controller
  const unlink = linkSignal(controller, flow.signal)
  const inTurn = limitConcurrency(limits.parallelSteps)
  let failure: { error: unknown } | undefined
  const begun = works.map((work) => inTurn(() => work({ ...flow, signal })))
  for (const outcome of begun) {
    outcome.catch((error) => {
      failure ??= { error }
      controller.abort(new AgentKitError('aborted', 'A step beside it failed.', { cause: error }))
    })
  }
  // All of them have told their end before the run tells its own.
  const settled = await Promise.allSettled(begun).finally(unlink)
  if (failure) throw failure.error
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined))
}
