import { describe, expect, it } from 'vitest'
import type { Asked } from './chat-agent.ts'
import { decide } from './decide.ts'
import type { Prompt } from './prompt.ts'

const asked = (kind: Asked['kind']): Asked => ({
  approvalId: 'apr_1',
  name: 'pay',
  input: { amount: 5 },
  kind,
  path: ['team', 'clerk'],
})

/** What a person answers who types these lines, and what they see. */
async function typed(one: Asked, lines: string[], problem?: string) {
  const shown: string[] = []
  const prompt = {
    question: async (text: string) => {
      shown.push(text)
      return lines.shift()
    },
  } as Partial<Prompt> as Prompt // nothing else is called
  const write = async (text: string): Promise<void> => void shown.push(text)
  const answer = await decide(one, { prompt, write }, new AbortController().signal, problem)
  return { answer, shown: shown.join('') }
}

describe('the question about a call', () => {
  it.each<[Asked['kind'], string, unknown]>([
    ['approval', 'y', { approve: true }],
    ['approval', 'No', { approve: false }],
    ['approval', 'no, too much', { approve: false, reason: 'too much' }],
    ['approval', 'not today', { approve: false, reason: 'not today' }],
    ['approval', '= 5', { approve: false, reason: '= 5' }],
    ['client-tool', '{"city":"Oslo"}', { result: { city: 'Oslo' } }],
    ['client-tool', 'Oslo', { result: 'Oslo' }],
    ['client-tool', 'yes', { result: 'yes' }],
    ['client-tool', '= no', { result: 'no' }],
    ['client-tool', 'nothing', { result: 'nothing' }],
    ['client-tool', 'no: it is private', { approve: false, reason: 'it is private' }],
    ['unknown-outcome', 'y', { approve: true }],
    ['unknown-outcome', 'n', { approve: false }],
    ['unknown-outcome', '={"paid":true}', { result: { paid: true } }],
    ['unknown-outcome', '= paid', { result: 'paid' }],
    ['unknown-outcome', 'ask the bank', { approve: false, reason: 'ask the bank' }],
  ])('of kind %s takes %s', async (kind, line, answer) => {
    expect((await typed(asked(kind), ['', line])).answer).toEqual(answer)
  })

  it('names the member and the call, and when a call of unknown outcome began', async () => {
    const startedAt = '2026-11-24T10:00:00.000Z'
    const { shown } = await typed({ ...asked('unknown-outcome'), startedAt }, ['y'])
    expect(shown).toMatch(
      /\[clerk\] pay had begun at 2026-11-24T10:00:00\.000Z when its process ended\..*"amount": 5.*= and its result/s,
    )
    expect((await typed(asked('client-tool'), ['x'])).shown).toContain('[clerk] pay is yours to do')
  })

  it.each(['yes please', 'ok', 'y, but only 3', 'yep', 'Sure!'])(
    'is asked again after "%s", which is no plain yes',
    async (line) => {
      const { answer, shown } = await typed(asked('approval'), [line, 'no'])
      expect(answer).toEqual({ approve: false })
      expect(shown.match(/Run it\?/g)).toHaveLength(2)
    },
  )

  it('is asked again with the problem alone, and is not decided when the user leaves', async () => {
    const { shown } = await typed(asked('client-tool'), ['x'], 'city is missing')
    expect(shown).toMatch(/^city is missing\nResult, as JSON/)
    expect((await typed(asked('client-tool'), [])).answer).toBeUndefined()
  })
})
