import type { Model } from '../../contracts/model.ts'
import { tool } from '../../tools/define-tool.ts'
import type { Tool, ToolContext } from '../../contracts/tool.ts'
import { toolCalls } from '../../data/transcript.ts'
import { currentWitness } from './witness.ts'

/** A model that records its calls in the witness of the run. */
export function watchedModel(model: Model): Model {
  const watched: Model = {
    ...model,
    ...(model.load && {
      async load() {
        await model.load?.()
        Object.assign(watched, { info: model.info })
      },
    }),
    async *stream(request, signal) {
      const call = currentWitness.getStore()?.modelCallBegins(watched, request, signal)
      try {
        for await (const event of model.stream(request, signal)) {
          if (call) call.hasAnswered = true
          if (call && event.type === 'finish') {
            call.reported = event.usage
            // Calls of an answer that a filter cut off must not be executed.
            if (event.reason !== 'content-filter') call.callIds = toolCalls(event.message).map(({ callId }) => callId)
          }
          yield event
        }
      } finally {
        if (call) call.ended = true
      }
    },
  }
  return watched
}

type NeedsApproval = boolean | ((input: Record<string, unknown>) => boolean)

/** A tool that records its calls in the witness of the run. Its input is `{ n: 1 }`. */
export function watchedTool(
  name: string,
  execute: (input: unknown, context: ToolContext) => unknown,
  needsApproval: NeedsApproval = false,
): Tool {
  return tool({
    name,
    description: `It ${name}.`,
    input: { type: 'object', properties: { n: { type: 'integer' } } },
    needsApproval,
    async execute(value, context) {
      const execution = currentWitness.getStore()?.executionBegins(context.callId, name, context.signal)
      try {
        return await execute(value, context)
      } finally {
        if (execution) execution.ended = true
      }
    },
  })
}
