import { stripVTControlCharacters } from 'node:util'
import { Agent, type Runnable, type Usage, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { createView } from './view.ts'

it('marks tokens that are estimated, and names none that are not known', async () => {
  const shown: string[] = []
  const view = createView(async (text) => void shown.push(text))
  const usages: Usage[] = [{ inputTokens: 1_535, outputTokens: 17, estimated: true }, {}]
  for (const usage of usages) {
    const end = { seq: 1, runId: 'run_1', finishReason: 'stop', text: '', usage } as const
    await view.end({ ...end, type: 'run-end', path: [] }, performance.now())
  }
  expect(shown.join('')).toContain('~1535 tokens in, ~17 out')
  expect(shown.join('')).toContain('? tokens in, ? out')
})

it('shows an emoji whole whose halves come in two parts', async () => {
  const shown: string[] = []
  const view = createView(async (text) => void shown.push(text))
  for (const text of ['a\ud83d', '\ude00b\r', '\nc']) {
    await view.show({ type: 'text-delta', text, seq: 1, runId: 'run_1', path: [] })
  }
  expect(shown).toEqual(['a', '😀b', '\nc'])
})

it('shows the answer of a workflow once, and the texts of its agents as lines', async () => {
  const flow: Runnable = workflow({ name: 'Flow' })
    .step(new Agent({ name: 'One', functions: [], model: scriptedModel(['A\nshort draft.']) }))
    .step(new Agent({ name: 'Two', functions: [], model: scriptedModel(['The letter.']) }))
    .asAgent()
  const shown: string[] = []
  const view = createView(async (text) => void shown.push(text), flow.speaker)
  for await (const event of flow.stream('Hi')) await view.show(event)
  expect(stripVTControlCharacters(shown.join(''))).toBe(
    '[one] begins\n[one] A short draft.\n[one] done\n[two] begins\n[two] The letter.\n[two] done\nThe letter.',
  )
})
