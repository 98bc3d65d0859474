import type { JSONValue } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, begin, type GetStore, key, load, runTurn, user } from './turns.ts'

/** Tests the state that is stored besides messages. */
export function stateTests(getStore: GetStore): void {
  it('replaces the state of a session when a run stores one, and keeps it otherwise', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')], { state: { step: 1, old: true } })
    expect((await load(store, key)).state).toEqual({ step: 1, old: true })
    await runTurn(store, key, 'r2', [user('two'), answer('2')])
    expect((await load(store, key)).state).toEqual({ step: 1, old: true })
    await runTurn(store, key, 'r3', [user('three'), answer('3')], { state: { step: 3 } })
    expect((await load(store, key)).state).toEqual({ step: 3 })
    const states = (await store.turns(key)).map((turn) => turn.state)
    expect(states).toEqual([{ step: 1, old: true }, undefined, { step: 3 }])
  })

  it('keeps the state that a failed run stored', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one')], { state: 'begun', status: 'failed' })
    expect(await store.load(key)).toEqual({ version: 2, messages: [], state: 'begun' })
  })

  it.each([null, false, 0, '', [], {}] satisfies JSONValue[])('accepts %j as a state', async (state) => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')], { state })
    expect(await store.load(key)).toHaveProperty('state', state)
    expect(await store.find('r1')).toHaveProperty('state', state)
  })

  it('has no state and no usage when none was stored', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    expect(await store.load(key)).not.toHaveProperty('state')
    expect(await store.find('r1')).not.toHaveProperty('state')
    expect(await store.find('r1')).not.toHaveProperty('usage')
  })

  it('accepts a state without messages', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    await store.append('r1', [], { step: 1 })
    expect(await store.find('r1')).toMatchObject({ messages: [user('r1')], state: { step: 1 } })
  })
}
