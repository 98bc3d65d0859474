import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import { limits } from '../limits.ts'

const longest = 'é'.repeat(limits.idBytes / 2)
const bad: [string, string, RegExp][] = [
  ['longer than 1,024 bytes', `${longest}x`, /1025 bytes; at most 1024/],
  ['half of a surrogate pair', 'ada\ud800', /surrogate/],
  ['the other half', 'ada\udc00', /surrogate/],
  ['empty', '', /not empty/],
]

const agent = (): Agent => new Agent({ name: 'Test', functions: [], model: scriptedModel(['Hello.']) })

describe('the ids of a run', () => {
  it.each(bad)('are refused when one is %s', async (_name, id, problem) => {
    const refused = { code: 'invalid-argument', message: expect.stringMatching(problem) }
    for (const options of [{ userId: id }, { sessionId: id }, { userId: 'ada', sessionId: id }]) {
      await expect(agent().chat('Hi', options)).rejects.toMatchObject(refused)
      expect(() => agent().stream('Hi', options)).toThrow(expect.objectContaining(refused))
      expect(() => agent().resume('run_1', {}, options)).toThrow(expect.objectContaining(refused))
    }
  })

  it('are refused when the run to resume has an invalid one', () => {
    for (const id of [`${longest}x`, 'ada\ud800', '']) {
      expect(() => agent().resume(id, {})).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
  })

  it('are not repeated in the error', () => {
    const id = 'x'.repeat(5000)
    expect(() => agent().stream('Hi', { userId: id })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('xx') }),
    )
  })

  it('may have 1,024 bytes and any characters', async () => {
    expect(await agent().chat('Hi', { userId: longest, sessionId: '😀 \ufffd' })).toBe('Hello.')
  })
})
