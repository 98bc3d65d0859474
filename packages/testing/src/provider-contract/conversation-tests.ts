import type { Message } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import type { FakeTurn } from '../fake-provider/wires/script.ts'
import { weather } from './answer-tests.ts'
import { assistant, call, conversations, ids, png, result, user } from './conversations.ts'
import { type Asked, ask, askServer, type Outcome, type Subject } from './provider-under-test.ts'

/** The server accepts conversations of all providers: the fake server refuses what the real one refuses. */
export function conversationTests(subject: Subject): void {
  const { models } = subject
  describe('a conversation', () => {
    const kinds = [models.usual, models.reasoning, models.textOnly].filter((model) => model !== undefined)
    const cases = Object.entries(conversations).flatMap(([name, conversation]) =>
      kinds.map((model) => ({ name, model, ...conversation })),
    )
    it.each(cases)('$name is accepted by $model', async ({ model, messages, tools, arrives = [] }) => {
      const { error, text, requests, warnings } = await ask(subject, 'Taken.', {
        messages,
        model,
        ...(tools && { tools }),
      })
      expect(error).toBeUndefined()
      expect(text).toBe('Taken.')
      const sent = JSON.stringify(requests[0]?.body)
      const mayLack = warnings.length > 0 || model === models.textOnly
      expect(arrives.filter((word) => !sent.includes(word) && !(word === png && mayLack))).toEqual([])
      expect(sent).not.toMatch(/foreign-s/)
    })

    it.each(Object.entries(ids))('may have calls whose ids are %s (Q6, Q44)', async (_kind, id) => {
      const messages = [
        user('Hello'),
        assistant(call(id), call(`${id}2`)),
        result(id, 'Sunny-1'),
        result(`${id}2`, 'Windy-2'),
        user('So'),
      ]
      const { error } = await ask(subject, 'Taken.', { messages, tools: [weather] })
      expect(error).toBeUndefined()
    })

    it('stays unchanged: sending it twice sends the same body', async () => {
      const messages = conversations['with parallel calls (Q33, Q59)']?.messages ?? []
      const before = JSON.stringify(messages)
      const { bodies } = await askTwice(subject, { messages, tools: [weather] })
      expect(bodies[0]).toEqual(bodies[1])
      expect(JSON.stringify(messages)).toBe(before)
    })

    it.each([models.usual, models.reasoning].filter((model) => model !== undefined))(
      'of %s continues with its own reasoning, signatures and calls (Q23, Q24, Q36, Q46, Q58)',
      async (model) => {
        const turns: FakeTurn[] = [
          {
            reasoning: 'I should look.',
            text: 'Let me see.',
            toolCalls: [
              { name: 'weather', input: { city: 'Oslo' } },
              { name: 'weather', input: { city: 'Rome' } },
            ],
          },
          { reasoning: 'It is sunny.', text: 'Sunny in both.' },
          'You are welcome.',
        ]
        await using server = await fakeProvider(subject.wire, turns)
        const messages: Message[] = [user('How is the weather in Oslo and Rome?')]
        const asked: Asked = { model, tools: [weather], messages }
        if (model === models.reasoning) asked.reasoning = 'medium'
        const first = await askServer(subject, server.url, asked)
        messages.push(...said(first), ...first.calls.map(({ callId }) => result(callId)))
        const second = await askServer(subject, server.url, asked)
        messages.push(...said(second), user('Thanks'))
        const third = await askServer(subject, server.url, asked)
        expect([first.error, second.error, third.error]).toEqual([undefined, undefined, undefined])
        expect(third.text).toBe('You are welcome.')
        expect(JSON.stringify(server.requests[2]?.body)).toContain('Sunny in both.')
      },
    )

    it.each(kinds)('of %s may begin to reason between a call and its result (Q5, Q36)', async (model) => {
      await using server = await fakeProvider(subject.wire, [{ toolCalls: [{ name: 'weather', input: {} }] }, 'Sunny.'])
      const messages: Message[] = [user('Weather?')]
      const first = await askServer(subject, server.url, { model, tools: [weather], messages })
      messages.push(...said(first), ...first.calls.map(({ callId }) => result(callId)))
      const second = await askServer(subject, server.url, { model, tools: [weather], messages, reasoning: 'high' })
      expect([second.error, second.text]).toEqual([undefined, 'Sunny.'])
    })

    if (models.reasoning !== undefined)
      it('continues with another model of the same provider (Q5)', async () => {
        const turns: FakeTurn[] = [
          { reasoning: 'Hm.', toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] },
          'Sunny.',
        ]
        await using server = await fakeProvider(subject.wire, turns)
        const messages: Message[] = [user('Weather?')]
        const first = await askServer(subject, server.url, {
          model: models.reasoning,
          reasoning: 'low',
          tools: [weather],
          messages,
        })
        messages.push(...said(first), ...first.calls.map(({ callId }) => result(callId)))
        const second = await askServer(subject, server.url, { tools: [weather], messages })
        expect([second.error, second.text]).toEqual([undefined, 'Sunny.'])
      })
  })
}

function said({ finish }: Outcome): Message[] {
  return finish ? [finish.message] : []
}

async function askTwice(subject: Subject, asked: Asked): Promise<{ bodies: unknown[] }> {
  await using server = await fakeProvider(subject.wire, ['One.', 'Two.'])
  await askServer(subject, server.url, asked)
  await askServer(subject, server.url, asked)
  return { bodies: server.requests.map(({ body }) => body) }
}
