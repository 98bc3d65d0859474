import type { AgentEvent } from '@agentkit/core'
import { runProblem } from '../../answer/problem.ts'
import type { Answering } from '../../chat/run-chat.ts'

/** An answer that is sent once the run has ended: the body that a reader of its events makes. */
export function wholeAnswer(reader: { read(event: AgentEvent): unknown }, body: () => object): Answering {
  return {
    type: 'application/json',
    read: (event) => void reader.read(event),
    whole(result) {
      const failure = runProblem(result)
      if (failure) throw failure
      return Response.json(body())
    },
  }
}
