import type { Reply } from '../runs/reply.ts'
import { callCost } from './call-usage.ts'
import type { Run } from './types.ts'

/** Emits the end of the step whose model has answered so. */
export async function emitStepEnd(run: Run, { reason: finishReason, usage, message }: Reply): Promise<void> {
  const model = message.model ?? run.model.id
  const cost = callCost(run, model, usage)
  await run.scope.emit({ type: 'step-end', step: run.state.steps, model, finishReason, usage, ...(cost && { cost }) })
}
