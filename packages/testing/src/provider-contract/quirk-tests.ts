import { describe, expect, it } from 'vitest'
import { ask, type Outcome, type Subject } from './provider-under-test.ts'
import { anthropicQuirks } from './quirks/anthropic-quirks.ts'
import { chatQuirks } from './quirks/chat-quirks.ts'
import { geminiQuirks } from './quirks/gemini-quirks.ts'
import { ollamaQuirks } from './quirks/ollama-quirks.ts'
import type { Quirk } from './quirks/quirk.ts'
import { responsesQuirks } from './quirks/responses-quirks.ts'

const quirks: readonly Quirk[] = [
  ...chatQuirks,
  ...responsesQuirks,
  ...anthropicQuirks,
  ...geminiQuirks,
  ...ollamaQuirks,
]

/** Answers that real servers of this wire have sent. */
export function quirkTests(subject: Subject): void {
  const own = quirks.filter(({ wires }) => wires.includes(subject.wire))
  describe('its real servers', () => {
    it.each(own)('$name', async ({ turn, reasons, expected }) => {
      const tools = expected.calls?.map(([name]) => ({ name, description: 'Acts.', inputSchema: { type: 'object' } }))
      const names = new Set<string>()
      const own = tools?.filter(({ name }) => !names.has(name) && names.add(name))
      const outcome = await ask(subject, turn, {
        ...(own && own.length > 0 && { tools: own }),
        ...(reasons && { model: subject.models.reasoning, reasoning: 'low' }),
      })
      if (expected.error) expect(outcome.error).toMatchObject(expected.error)
      else expect(outcome.error).toBeUndefined()
      if (expected.text !== undefined) expect(outcome.text).toBe(expected.text)
      if (expected.text !== undefined && outcome.finish)
        expect(textIn(outcome.finish)).toBe(expected.kept ?? expected.text)
      if (expected.reasoning !== undefined) expect(outcome.reasoning).toBe(expected.reasoning)
      if (expected.calls) {
        expect(outcome.calls.map(({ name, input }) => [name, input])).toEqual(expected.calls)
        expect(new Set(outcome.calls.map(({ callId }) => callId)).size).toBe(expected.calls.length)
      }
      if (expected.reason) expect(outcome.finish?.reason).toBe(expected.reason)
      if (expected.usage) expect(outcome.finish?.usage).toMatchObject(expected.usage)
      if (expected.holds) expect(JSON.stringify(outcome.finish?.message)).toContain(expected.holds)
      if (expected.warning) expect(outcome.warnings.join('\n')).toMatch(expected.warning)
    })
  })
}

function textIn({ message }: NonNullable<Outcome['finish']>): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
