import { AgentKitError } from '../data/errors.ts'
import { callUsers } from './function-step.ts'
import { beginStep, contextOf, type Step } from './step.ts'
import type { StepContext } from './work.ts'

type Choose = (value: unknown, context: StepContext) => unknown

/** The step that a function names. */
export function branch(choose: Choose, routes: ReadonlyMap<unknown, Step>, label: string): Step {
  return {
    agents: [...routes.values()].flatMap(({ agents }) => agents),
    async run(value, flow) {
      await beginStep(flow)
      const key = await callUsers(label, flow, () => choose(value, contextOf(flow)))
      const step = routes.get(key)
      if (step) return step.run(value, flow)
      const known = [...routes.keys()].map((name) => `"${String(name)}"`).join(', ')
      throw new AgentKitError('invalid-argument', `The branch chose "${String(key)}". There are: ${known}.`)
    },
  }
}

/** One of two steps, or none: then the value stays as it is. */
export function either(when: Choose, then: Step, otherwise: Step = unchanged, label = 'branch'): Step {
  const routes = new Map([
    [true, then],
    [false, otherwise],
  ])
  return branch(async (value, context) => Boolean(await when(value, context)), routes, label)
}

const unchanged: Step = { agents: [], run: async (value) => value }
