import type { Usage } from '@agentkit/core'
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
