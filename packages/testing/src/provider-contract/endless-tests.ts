import { Agent, type JSONValue, type RunResult } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import { endlessAnswers } from './endless-answers.ts'
import { ask, type Subject, testKey } from './provider-under-test.ts'

/** An answer is malformed after 2 MB, or 16 MB for one frame; sockets buffer some megabytes more. */
const mostSent = 32_000_000

/** An endless answer fails before it fills the memory. */
export function endlessTests(subject: Subject): void {
  const answers = endlessAnswers[subject.wire]
  const malformed = { code: 'malformed-stream' }

  describe('an endless answer', () => {
    it('in the arguments of a call is malformed, and is not read further', async () => {
      const sent = counted(answers.arguments())
      const { error, calls } = await ask(subject, { frames: sent.frames })
      expect(error).toMatchObject(malformed)
      expect(calls).toHaveLength(0)
      expect(sent.chars()).toBeLessThan(mostSent)
    })

    it('is malformed with 1,025 calls, but not with 1,024', async () => {
      const { error } = await ask(subject, { frames: answers.calls(1_025) })
      expect(error).toMatchObject({ ...malformed, message: expect.stringContaining('1024 tool calls') })
      const { finish } = await ask(subject, { frames: answers.calls(1_024) })
      expect(finish?.message.content).toHaveLength(1_024)
    })

    it('in reasoning fails the run as malformed, and is not read further', async () => {
      const sent = counted(answers.reasoning())
      const { finishReason, error } = await run(subject, sent.frames)
      expect({ finishReason, error }).toMatchObject({ finishReason: 'error', error: malformed })
      expect(sent.chars()).toBeLessThan(mostSent)
    })
  })
}

/** Runs an agent on the provider's model: core limits the reasoning of every model. */
async function run({ wire, makeProvider, models }: Subject, frames: Iterable<JSONValue | string>): Promise<RunResult> {
  await using server = await fakeProvider(wire, [{ frames }])
  const model = makeProvider({ url: server.url, apiKey: testKey }).model(models.reasoning ?? models.usual)
  const agent = new Agent({ name: 'Test', functions: [], model })
  return await agent.stream('Hello').result
}

function counted(frames: Iterable<JSONValue | string>): {
  frames: Iterable<JSONValue | string>
  chars(): number
} {
  let chars = 0
  function* counting(): Generator<JSONValue | string> {
    for (const frame of frames) {
      chars += typeof frame === 'string' ? frame.length : JSON.stringify(frame).length
      yield frame
    }
  }
  return { frames: counting(), chars: () => chars }
}
