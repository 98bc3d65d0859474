import { runInNewContext } from 'node:vm'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import { AgentKitError } from '../data/errors.ts'
import type { JSONValue, UserMessage } from '../data/message.ts'
import { applyHook, Blocked, checkHooks, type HookContext, type HookResult, type Hooks, runHook } from './hooks.ts'

const context: HookContext = { runId: 'r', userId: 'u', signal: new AbortController().signal }
const call = { callId: 'a', name: 'pay', input: { amount: 1 } }

describe('a hook', () => {
  it.each<[string, (value: typeof call) => HookResult<typeof call>]>([
    ['nothing', () => undefined],
    ['null', () => null as never],
    ['what it was given', (value) => value],
    ['the same again', (value) => structuredClone(value)],
    ['nothing, later', async () => {}],
    ['nothing, having written to what it was given', (value) => void Object.assign(value.input, { amount: 9 })],
  ])('that returns %s changes nothing', async (_, hook) => {
    const outcome = await runHook('beforeTool', hook, call, context)
    expect(outcome).toEqual({ value: call, changed: false })
    expect('value' in outcome && outcome.value).toBe(call)
    expect(call.input).toEqual({ amount: 1 })
  })

  it('that is absent changes nothing', async () => {
    expect(await runHook('beforeTool', undefined, call, context)).toEqual({ value: call, changed: false })
  })

  it.each<[string, (value: typeof call) => HookResult<typeof call>]>([
    ['another value', (value) => ({ ...value, input: { amount: 2 } })],
    ['another value, later', async (value) => ({ ...value, input: { amount: 2 } })],
    ['what it was given, having written to it', (value) => Object.assign(value, { input: { amount: 2 } })],
  ])('that returns %s changes it', async (_, hook) => {
    const changed = { callId: 'a', name: 'pay', input: { amount: 2 } }
    expect(await runHook('beforeTool', hook, call, context)).toEqual({ value: changed, changed: true })
    expect(call.input).toEqual({ amount: 1 })
  })

  it('may remove a field', async () => {
    const request = { messages: [{ role: 'user' as const, content: 'Hi' }], temperature: 1 }
    const hook: Hooks['beforeModel'] = ({ temperature: _, ...rest }) => rest
    expect(await runHook('beforeModel', hook, request, context)).toMatchObject({
      value: { messages: request.messages },
    })
  })

  it.each([
    ['No.', 'No.'],
    ['', 'Blocked.'],
  ])('blocks with a reason: %j', async (block, reason) => {
    expect(await runHook('beforeTool', () => ({ block }), call, context)).toEqual({ block: reason })
    await expect(applyHook('beforeTool', async () => ({ block }), call, context)).rejects.toEqual(new Blocked(reason))
  })

  it.each<[string, () => never]>([
    ['an error', () => fail(new Error('broken, with sk-abcdefghijklmnopqrstuvwxyz012345'))],
    ['nothing to speak of', () => fail(undefined)],
  ])('that throws %s fails', async (_, hook) => {
    const outcome = runHook('output', hook, { text: 'Hi' }, context)
    await expect(outcome).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(/^The hook `output` failed: (broken, with \[redacted\]|it threw\.)/),
    })
  })

  it('that throws an AgentKitError ends with that error', async () => {
    const error = new AgentKitError('unsupported', 'Not here.')
    await expect(runHook('output', async () => fail(error), { text: 'Hi' }, context)).rejects.toBe(error)
  })

  it('that hangs is abandoned when the run is aborted', async () => {
    const controller = new AbortController()
    const outcome = runHook(
      'output',
      () => new Promise<void>(() => {}),
      { text: 'Hi' },
      {
        ...context,
        signal: controller.signal,
      },
    )
    controller.abort()
    await expect(outcome).rejects.toMatchObject({ code: 'aborted' })
  })

  it('receives the run and its user', async () => {
    const seen: HookContext[] = []
    await runHook('output', (_, given) => void seen.push(given), { text: 'Hi' }, context)
    expect(seen).toEqual([context])
  })
})

describe('the result of a hook must be valid', () => {
  const ofAssistant = (...content: JSONValue[]): JSONValue => ({ role: 'assistant', content })
  const callOf = (callId: JSONValue): JSONValue => ({ type: 'tool-call', callId, name: 'pay', input: {} })

  it.each<[keyof Hooks, unknown]>([
    ['input', true],
    ['input', 'Hi'],
    ['input', { content: 'Hi' }],
    ['input', { role: 'user', content: '' }],
    ['input', { role: 'user', content: [] }],
    ['input', { role: 'user', content: [null] }],
    ['input', { role: 'system', content: 'Hi' }],
    ['input', { block: undefined }],
    ['input', { block: true }],
    ['beforeModel', {}],
    ['beforeModel', []],
    ['beforeModel', { messages: 'Hi' }],
    ['beforeModel', { messages: [null] }],
    ['beforeModel', { messages: [ofAssistant()] }],
    ['beforeModel', { messages: [{ role: 'user', content: 'Hi' }, ofAssistant(callOf('a'))] }],
    ['afterModel', {}],
    ['afterModel', { role: 'user', content: 'Hi' }],
    ['afterModel', { role: 'assistant', content: 'Hi' }],
    ['afterModel', ofAssistant(callOf('a'), callOf('a'))],
    ['afterModel', ofAssistant(callOf(''))],
    ['afterModel', ofAssistant(callOf(1))],
    ['beforeTool', { arguments: {} }],
    ['afterTool', { isError: false }],
    ['afterTool', { output: 1 }],
    ['output', 'Hi'],
    ['output', { text: undefined }],
    ['input', { role: 'user', content: 'Hi', block: true }],
    ['beforeTool', { ...call, block: true }],
    ['afterTool', { output: 1, isError: false, block: { reason: 'It is private.' } }],
    ['output', { text: 'Hi', block: 1 }],
  ])('%s: not %j', async (name, result) => {
    await expect(runHook(name, () => result as never, { given: true }, context)).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(new RegExp(`^The hook \`${name}\` returned what cannot be used\\. Return .+\\.$`)),
    })
  })

  it.each([
    ['messages', [], '`messages` has no message of the user.'],
    ['messages', [{ role: 'system', content: 'Be short.' }], '`messages` has no message of the user.'],
    ['tools', {}, '`tools` is a list of { name, description, inputSchema }.'],
    ['tools', ['pay'], '`tools` is a list of { name, description, inputSchema }.'],
    ['tools', [{ name: 'pay', description: 'Pays.' }], '`tools` is a list of { name, description, inputSchema }.'],
    ['toolChoice', 'pay', '`toolChoice` is "auto", "none", "required" or { tool: "its name" }.'],
    ['temperature', 'hot', '`temperature` is a number, 0 or more.'],
    ['stop', 'END', '`stop` is a list of texts that are not empty, in valid Unicode.'],
    ['output', 'json', '`output` is a JSON Schema.'],
  ])('names the field for which a request is refused: %s: %j', async (field, value, problem) => {
    const request = { messages: [{ role: 'user', content: 'Hi' }], [field]: value }
    // `as never`: requests of users in JavaScript, which the types refuse.
    await expect(runHook('beforeModel', () => request as never, { given: true }, context)).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining(`or nothing. ${problem}`),
    })
  })

  it('names the message for which a request is refused', async () => {
    // `as never`: messages of users in JavaScript, which the types refuse.
    const cut = { messages: [ofAssistant({ type: 'text', text: 'Hi' }), { role: 'user', content: 'And?' }] }
    await expect(runHook('beforeModel', () => cut as never, { given: true }, context)).rejects.toThrow(
      'or nothing. Message 0: the conversation does not begin with the user.',
    )
    const text = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    }
    await expect(runHook('beforeModel', () => text as never, { given: true }, context)).rejects.toThrow(
      'Message 1: `content` of role "assistant" is a list of parts',
    )
  })

  it.each<[keyof Hooks, unknown]>([
    ['input', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    ['beforeModel', { messages: [{ role: 'user', content: 'Hi' }], temperature: 0 }],
    ['afterModel', ofAssistant()],
    ['afterModel', ofAssistant({ type: 'text', text: 'Hi' }, callOf('a'), callOf('b'))],
    ['beforeTool', { input: undefined }],
    ['beforeTool', { ...call, input: { block: 'x' }, block: undefined }],
    ['beforeTool', { ...call, input: {}, block: false }],
    ['afterTool', { output: undefined, isError: true }],
    ['output', { text: '' }],
  ])('%s: %j', async (name, result) => {
    expect(await runHook(name, () => result as never, { given: true }, context)).toEqual({
      value: result,
      changed: true,
    })
  })
})

describe('hooks', () => {
  it.each([{}, { input() {} }, { input: undefined }])('may be %o', (hooks) => {
    expect(() => checkHooks(hooks as Hooks)).not.toThrow()
  })

  it.each<[unknown, string]>([
    [{ inputs() {} }, 'Unknown option `hooks.inputs`. Did you mean `hooks.input`? Known: input, beforeModel, '],
    [{ onStart() {} }, '`onStart` is the event `run-start` of agent.stream("…") here.'],
    [{ onPrepareMessages() {} }, '`onPrepareMessages` is `beforeModel` here.'],
    [{ wrapToolCall() {} }, '`wrapToolCall` is `beforeTool` and `afterTool` here.'],
    [{ input: 'no' }, '`hooks.input` is a function.'],
    [
      new (class {
        inputs() {}
      })(),
      '`hooks` is an object of a class without a hook. Known: input, ',
    ],
    [
      new (class {
        input = 'no'
      })(),
      '`hooks.input` is a function.',
    ],
    [new Map(), '`hooks` is an object such as { input(message) { … } }.'],
    [null, '`hooks` is an object such as { input(message) { … } }.'],
    ['input', '`hooks` is an object such as { input(message) { … } }.'],
  ])('must not be %o', (hooks, message) => {
    expect(() => checkHooks(hooks as Hooks)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })
})

function fail(error: unknown): never {
  throw error
}

it('of another realm are checked as all are: a guardrail with a misspelt name would be ignored', () => {
  const hooks = runInNewContext('({ input() {}, beforeTol() {} })') as Hooks
  expect(() => checkHooks(hooks)).toThrow('Unknown option `hooks.beforeTol`. Did you mean `hooks.beforeTool`?')
})

it('are methods of an object of a class too: a guardrail would be ignored', async () => {
  class Guard implements Hooks {
    readonly #word = 'password'
    /** A field that is no hook. */
    blocked = 0
    input({ content }: UserMessage) {
      if (!String(content).includes(this.#word)) return undefined
      this.blocked++
      return { block: 'Not that.' }
    }
    output = ({ text }: { text: string }) => ({ text: text.replace('.', '!') })
  }
  const guard = new Guard()
  const agent = new Agent({ name: 'Test', functions: [], model: scriptedModel(['Fine.']), hooks: guard })
  expect(await agent.chat('My password')).toBe('Not that.')
  expect(guard.blocked).toBe(1)
  expect(await agent.chat('Hi')).toBe('Fine!')
})
