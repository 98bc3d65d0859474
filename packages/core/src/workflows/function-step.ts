import { AgentKitError, isAgentKitError, messageOf } from '../data/errors.ts'
import { withSignal } from '../runs/current-run.ts'
import { untilAborted } from '../util/abort.ts'
import { redactSecrets } from '../util/redact.ts'
import { beginStep, contextOf, type Flow, type Step } from './step.ts'
import type { StepContext } from './work.ts'

/** A step that is a plain function. */
export function functionStep(work: (value: unknown, context: StepContext) => unknown, label: string): Step {
  return {
    agents: [],
    async run(value, flow) {
      await beginStep(flow)
      return callUsers(label, flow, () => work(value, contextOf(flow)))
    },
  }
}

/**
 * Calls a user's function, and leaves it behind when the run ends. What it starts ends with it.
 * @throws AgentKitError as the function has thrown it, otherwise `tool-error`
 */
export async function callUsers<Value>(
  label: string,
  { signal }: Flow,
  work: () => Value | PromiseLike<Value>,
): Promise<Value> {
  try {
    return await untilAborted(
      signal,
      withSignal(signal, async () => work()),
    )
  } catch (cause) {
    if (isAgentKitError(cause)) throw cause
    const why = redactSecrets(messageOf(cause)) || 'It threw, and said nothing.'
    throw new AgentKitError('tool-error', `The step "${label}" failed. ${why}`, { cause })
  }
}
