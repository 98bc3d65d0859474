import { describe, expect, it } from 'vitest'
import { callsFor } from './__fixtures__/ask.ts'
import { asking, silent } from './__fixtures__/messages.ts'
import { deskTools, homeTools, officeTools, shopTools, studioTools } from './__fixtures__/tools.ts'

const toolSets = { office: officeTools, home: homeTools, shop: shopTools, studio: studioTools, desk: deskTools }
const sets = ['office', 'home', 'shop', 'studio', 'desk'] as const

describe.each(sets)('with the %s tools', (set) => {
  it.each(asking[set])('calls what is asked for: %s', async (message, ...calls) => {
    expect(await callsFor(message, toolSets[set])).toEqual(calls)
  })

  it.each(silent[set])('calls nothing: %s', async (message) => {
    expect(await callsFor(message, toolSets[set])).toEqual([])
  })

  it.each(asking[set])('calls the tool also when it is the only one: %s', async (message, ...calls) => {
    if (calls.length > 1) return
    const tools = toolSets[set].filter(({ name }) => name === calls[0]?.[0])
    expect(await callsFor(message, tools)).toEqual(calls)
  })

  it.each(asking[set])('calls the same whatever the order of the tools: %s', async (message, ...calls) => {
    expect(await callsFor(message, toolSets[set].toReversed())).toEqual(calls)
  })
})
