import { validateTranscript } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, begin, calls, type GetStore, key, load, result, runTurn, user } from './turns.ts'

/** Which messages of finished, failed and running turns the model sees. */
export function visibilityTests(getStore: GetStore): void {
  it('shows nothing of a run in progress', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await begin(store, key, 'r2', 2)
    await store.append('r2', [calls('a'), result('a')])
    expect(await store.load(key)).toEqual({ version: 3, messages: [user('one'), answer('1')] })
  })

  it.each(['failed', 'waiting'] as const)(
    'hides a %s turn without a finished call, but not from `turns`',
    async (status) => {
      const store = getStore()
      await runTurn(store, key, 'r1', [user('one'), answer('1')])
      await runTurn(store, key, 'r2', [user('two'), calls('a')], { status })
      await runTurn(store, key, 'r3', [user('three'), answer('3')])
      expect((await load(store, key)).messages).toEqual([user('one'), answer('1'), user('three'), answer('3')])
      expect((await store.turns(key))[1]).toMatchObject({ status, messages: [user('two'), calls('a')] })
    },
  )

  it.each([
    ['failed', '[stopped: interrupted]'],
    ['waiting', '[stopped: waiting for approval]'],
  ] as const)('keeps the finished calls of a %s turn, with the note %s', async (status, note) => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), calls('a', 'b'), result('b')], { status })
    const { messages } = await load(store, key)
    expect(messages).toEqual([user('one'), calls('b'), result('b'), answer(note)])
    expect(validateTranscript(messages)).toEqual([])
  })

  it('loads results in the order of their calls, however they were journaled', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    await store.append('r1', [calls('a', 'b', 'c')])
    await Promise.all(['c', 'a', 'b'].map((callId) => store.append('r1', [result(callId)])))
    await store.append('r1', [answer('1')])
    await store.end('r1', 'done')
    const { messages } = await load(store, key)
    expect(messages).toEqual([user('r1'), calls('a', 'b', 'c'), result('a'), result('b'), result('c'), answer('1')])
  })

  it('journals messages in the order of the `append` calls', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    const texts = Array.from({ length: 20 }, (_, index) => answer(String(index)))
    await Promise.all(texts.map((message) => store.append('r1', [message])))
    expect((await store.find('r1'))?.messages).toEqual([user('r1'), ...texts])
  })
}
