import type { AssistantMessage } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, type GetStore, key, load, result, runTurn, tryTo, user } from './turns.ts'

/** Stored data is returned unchanged. */
export function fidelityTests(getStore: GetStore): void {
  it.each<[string, string]>([
    ['unicode', '👩‍🚀 Grüße 世界 \u202e \u0000 \u2028'],
    ['a lone surrogate', 'half \ud83d of a pair'],
    ['quotes and backslashes', `"'\\"\n\r\t`],
    ['a megabyte', 'ü'.repeat(524_288)],
  ])('gives back %s as it was', async (_, text) => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user(text), answer(text)], { state: text })
    const session = await load(store, key)
    // Compared as strings, so that a failure does not print a megabyte.
    expect(JSON.stringify(session.messages) === JSON.stringify([user(text), answer(text)])).toBe(true)
    expect(session.state === text).toBe(true)
  })

  it('keeps keys named `__proto__`, and pollutes no prototype', async () => {
    const store = getStore()
    const input = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
    const call: AssistantMessage = {
      v: 1,
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'a', name: 'echo', input }],
    }
    await runTurn(store, key, 'r1', [user('one'), call, result('a'), answer('1')], { state: input })
    const session = await load(store, key)
    expect(JSON.stringify(session.messages[1])).toBe(JSON.stringify(call))
    expect(JSON.stringify(session.state)).toBe(JSON.stringify(input))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('returns copies: changing an argument or a result does not change stored data', async () => {
    const store = getStore()
    const input = [user('one')]
    const reply = answer('1')
    const state = { step: 1 }
    const usage = { inputTokens: 1 }
    await store.begin(key, { runId: 'r1', expectedVersion: 0, input })
    await store.append('r1', [reply], state)
    await store.end('r1', 'done', usage)
    const expected = structuredClone({ session: await load(store, key), turn: await store.find('r1') })

    input.push(user('more'))
    reply.content.push({ type: 'text', text: 'more' })
    state.step = 2
    usage.inputTokens = 2
    const session = await load(store, key)
    tryTo(() => session.messages.pop())
    tryTo(() => Object.assign(session.messages[0] as object, { content: 'changed' }))
    tryTo(() => Object.assign(session.state as object, { step: 3 }))
    for (const turn of [await store.find('r1'), ...(await store.turns(key))]) {
      const message = turn?.messages[1] as AssistantMessage
      tryTo(() => message.content.pop())
      tryTo(() => turn?.messages.pop())
      tryTo(() => Object.assign(turn?.usage as object, { inputTokens: 3 }))
      tryTo(() => Object.assign(turn?.state as object, { step: 4 }))
    }
    expect({ session: await load(store, key), turn: await store.find('r1') }).toEqual(expected)
  })
}
