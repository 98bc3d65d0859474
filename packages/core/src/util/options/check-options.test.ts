import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent } from '../../agents/agent.ts'
import type { Message } from '../../data/message.ts'
import type { RunOptions } from '../../runs/driver/run.ts'
import { Swarm } from '../../swarm/swarm.ts'
import { workflow } from '../../workflows/workflow.ts'
import { checkOptionNames } from './check-options.ts'

const model = scriptedModel([])
const agent = new Agent({ name: 'Test', functions: [], model })
const team = new Swarm({ name: 'Team', agents: [agent], collaboration: 'sequence' })
const flow = workflow().step(agent)

describe('the names of options', () => {
  const known = { host: true, port: true }

  it('may all be absent or undefined', () => {
    expect(() => checkOptionNames({}, known, { code: 'invalid-config' })).not.toThrow()
    expect(() => checkOptionNames({ port: undefined }, known, { code: 'invalid-config' })).not.toThrow()
  })

  it.each([{ toString: 1 }, JSON.parse('{"__proto__":1}')])('must be known ones, unlike %o', (options) => {
    expect(() => checkOptionNames(options, known, { code: 'invalid-config' })).toThrow(/^Unknown option `/)
  })

  it.each([[[]], [new Map([['host', 'a']])], [Promise.resolve({ host: 'a' })], [new URLSearchParams('host=a')]])(
    'are none of %o, which has no fields',
    (options) => {
      expect(() => checkOptionNames(options, known, { code: 'invalid-config' })).toThrow('The options are an object.')
    },
  )

  it('are reported with their parent option and the nearest known name', () => {
    const check = { code: 'invalid-config', of: 'server' } as const
    expect(() => checkOptionNames({ hots: 1 }, known, check)).toThrow(
      'Unknown option `server.hots`. Did you mean `server.host`? Known: host, port.',
    )
  })

  it('are cut in the message when they are too long', () => {
    const options = { ['x'.repeat(100_000)]: 1 }
    expect(() => checkOptionNames(options, known, { code: 'invalid-config' })).toThrow(/^.{1,200}$/)
  })
})

describe('a run', () => {
  const runs: [string, (options: RunOptions) => unknown][] = [
    ['agent.chat()', (options) => agent.chat('Go', options)],
    ['agent.stream()', async (options) => agent.stream('Go', options).result],
    ['agent.resume()', async (options) => agent.resume('run_1', {}, options).result],
    ['swarm.chat()', (options) => team.chat('Go', options)],
    ['swarm.stream()', async (options) => team.stream('Go', options).result],
    ['swarm.resume()', async (options) => team.resume('run_1', {}, options).result],
    ['workflow.run()', (options) => flow.run('Go', options)],
    ['workflow.stream()', async (options) => flow.stream('Go', options).result],
  ]
  const question: Message = { role: 'user', content: 'Go' }
  const part = { type: 'tool-call', callId: 'a', name: 'act', input: {} }
  const call = (input: unknown) => ({ role: 'assistant', content: [{ ...part, input }] })
  const fail = (): never => {
    throw new Error('boom')
  }
  const result = { role: 'tool', callId: 'a', name: 'act', content: 'Done.' }
  const circle: unknown[] = []
  circle.push(circle)
  const wrong: [string, unknown, string | RegExp][] = [
    [
      'user_id and session_id',
      { user_id: 'ada', session_id: 'first' },
      'Unknown option `user_id`. Did you mean `userId`? Known: userId, sessionId, signal,',
    ],
    ['sessionID', { sessionID: 'first' }, 'Unknown option `sessionID`.'],
    ['a misspelt figure of its budget', { budget: { dollars: 1 } }, 'Unknown option `budget.dollars`. Known: usd,'],
    ['a text', 'ada', 'Pass the options of a run as an object'],
    ['null', null, 'Pass the options of a run as an object'],
    ['a Map', new Map([['userId', 'ada']]), 'Pass the options of a run as an object'],
    ['options that were not awaited', Promise.resolve({ userId: 'ada' }), 'Pass the options of a run as an object'],
    ['a user that is not text', { userId: 5 }, '`userId` is a text that is not empty'],
    ['a session that is null', { sessionId: null }, '`sessionId` is a text that is not empty'],
    [
      'a controller as its signal',
      { signal: new AbortController() },
      '`signal` is an AbortSignal, such as `controller.signal`',
    ],
    ['an event target as its signal', { signal: new EventTarget() }, '`signal` is an AbortSignal'],
    ['null as its signal', { signal: null }, '`signal` is an AbortSignal'],
    ['a deadline that is a text', { timeoutMs: '60' }, '`timeoutMs` is a number of milliseconds'],
    ['a deadline that is null', { timeoutMs: null }, '`timeoutMs` is a number of milliseconds'],
    ['a text as its history', { history: 'Hello' }, '`history` is a list of messages'],
    ['null as its history', { history: null }, '`history` is a list of messages'],
    ['a history of nothing', { history: [null] }, 'message 0, a message is an object of `role` and `content`'],
    [
      'a sparse history',
      { history: Object.assign(Array(2), { 1: question }) },
      'message 0, a message is an object of `role` and `content`',
    ],
    ['a history of texts', { history: [question, 'Hi'] }, 'message 1, a message is an object'],
    [
      'a role that does not exist',
      { history: [{ role: 'human', content: 'Hi' }] },
      'message 0, `role` is one of system, user, assistant, tool',
    ],
    ['a role of Object.prototype', { history: [{ role: 'constructor', content: 'Hi' }] }, '`role` is one of'],
    ['no content', { history: [{ role: 'user' }] }, '`content` of role "user" is a text or a list of parts'],
    [
      'an answer that is a text',
      { history: [question, { role: 'assistant', content: 'Hi' }] },
      'message 1, `content` of role "assistant" is a list of parts, such as [{ type: "text", text: "…" }]',
    ],
    [
      'a part that is null',
      { history: [{ role: 'user', content: [null] }] },
      '`content[0].type` is one of text, image, file',
    ],
    [
      'a text part without text',
      { history: [{ role: 'user', content: [{ type: 'text' }] }] },
      '`content[0]`: a part of type "text" needs `text`',
    ],
    [
      'bytes as an image',
      { history: [{ role: 'user', content: [{ type: 'image', data: new Uint8Array(4) }] }] },
      'needs one of `base64` and `url`',
    ],
    [
      'a file without its type',
      { history: [{ role: 'user', content: [{ type: 'file', url: 'https://a.example' }] }] },
      'needs `mediaType`',
    ],
    ['a call without input', { history: [question, call(undefined), result] }, 'a tool call needs `input`'],
    [
      'a result without a name',
      { history: [question, call({}), { ...result, name: undefined }] },
      'role "tool" needs `name`',
    ],
    ['a result alone', { history: [question, result] }, 'result of call "a" has no call'],
    ['a circle', { history: [question, call(circle), result] }, 'message 1 has a circle, a BigInt'],
    ['a BigInt', { history: [question, call({ amount: 5n }), result] }, 'message 1 has a circle, a BigInt'],
    ['a function', { history: [question, call({ act: () => {} }), result] }, 'message 1 has a circle, a BigInt'],
    ['a Date', { history: [question, call({ at: new Date(0) }), result] }, 'message 1 has a circle, a BigInt'],
    ['a toJSON', { history: [{ ...question, toJSON: () => 'Hi' }] }, 'message 0 has a circle, a BigInt'],
    [
      'a getter that throws',
      { history: [Object.defineProperty({}, 'role', { get: fail })] },
      '`history` cannot be read',
    ],
    ['a Proxy that throws', { history: new Proxy([question], { get: fail }) }, '`history` cannot be read'],
    ['a message of another version', { history: [{ ...question, v: 2 }] }, 'message 0, `v`, the version of a message'],
    [
      'a model that is not text',
      { history: [question, { role: 'assistant', content: [], model: 5 }] },
      '`model` is a text',
    ],
    [
      'a flag that is a text',
      { history: [question, call({}), { ...result, isError: 'no' }] },
      '`isError` is true, false',
    ],
    [
      'an image whose type is not text',
      { history: [{ role: 'user', content: [{ type: 'image', base64: 'aa', mediaType: 5 }] }] },
      '`content[0]`: `mediaType` of a part of type "image" is a text or absent',
    ],
    [
      'a call with an endless id',
      { history: [question, { role: 'assistant', content: [{ ...part, callId: 'a'.repeat(1025) }] }] },
      '`content[0]`: `callId` has more than the 1024 bytes',
    ],
  ]

  it.each(wrong)('refuses %s', async (_name, options, problem) => {
    for (const [name, start] of runs) {
      const refusal = { code: 'invalid-argument', message: expect.stringContaining(String(problem)) }
      await expect(Promise.resolve(start(options as RunOptions)), name).rejects.toMatchObject(refusal)
    }
    expect(model.requests).toEqual([])
  })
})

describe('the options of agents, swarms and workflows', () => {
  it.each<[string, () => unknown, string, string]>([
    [
      'an agent',
      () => new Agent({ ...base(), maxStep: 3 } as never),
      'invalid-argument',
      'Unknown option `maxStep`. Did you mean `maxSteps`? Known: name, functions, model,',
    ],
    [
      'a swarm',
      () => new Swarm({ ...base(), agents: [agent], colaboration: 'handoff' } as never),
      'invalid-argument',
      'Unknown option `colaboration`.',
    ],
    [
      'a workflow',
      () => workflow({ nmae: 'Report' } as never),
      'invalid-argument',
      'Unknown option `nmae`. Did you mean `name`? Known: name, id,',
    ],
    [
      'a guard',
      () => new Agent({ ...base(), guard: { stopat: 9 } } as never),
      'invalid-argument',
      'Unknown option `guard.stopat`. Did you mean `guard.stopAt`? Known: tellAt, stopAt.',
    ],
    [
      'a price',
      () =>
        new Agent({
          ...base(),
          prices: { 'a/b': { inputUsdPerMillion: 1, outputUsdPerMillion: 1, cachedUsdPerMillion: 1 } },
        } as never),
      'invalid-argument',
      'Unknown option `prices["a/b"].cachedUsdPerMillion`.',
    ],
    [
      'the history of a swarm',
      () => new Swarm({ ...base(), agents: [agent], history: { last: 3, frist: 1 } } as never),
      'invalid-argument',
      'Unknown option `history.frist`. Known: last.',
    ],
    [
      'a loop',
      () => workflow().loop((text: string) => text, { maxIterations: 3, untill: () => true } as never),
      'invalid-argument',
      'Unknown option `untill`. Did you mean `until`? Known: maxIterations, while, until.',
    ],
    [
      'a step',
      () => workflow().step(agent, { aks: () => 'Go' } as never),
      'invalid-argument',
      'Unknown option `aks`. Did you mean `ask`? Known: ask.',
    ],
  ])('refuses a misspelt option of %s', (_name, make, code, message) => {
    expect(make).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
  })
})

function base(): object {
  return { name: 'Test', functions: [], model }
}
