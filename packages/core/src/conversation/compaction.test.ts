import { describe, expect, expectTypeOf, it } from 'vitest'
import { AgentKitError } from '../data/errors.ts'
import type { AssistantMessage, JSONValue, Message, ToolMessage, UserMessage } from '../data/message.ts'
import { validateTranscript } from '../data/transcript.ts'
import { estimateMessage, estimateText } from '../tokens/estimate-tokens.ts'
import { type Compaction, compactedView, notCompacted, readCompaction } from './compacted-view.ts'
import { type CompactRequest, compact } from './compaction.ts'
import { resultText } from './long-results.ts'

const user = (content: string): UserMessage => ({ v: 1, role: 'user', content })
const answer = (text: string): AssistantMessage => ({ v: 1, role: 'assistant', content: [{ type: 'text', text }] })
const words = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ')

let calls = 0
/** One message with calls, and a result for each. */
function step(...results: string[]): Message[] {
  const messages = results.map((content): ToolMessage => {
    return { v: 1, role: 'tool', callId: `call_${++calls}`, name: 'search', content }
  })
  const content = messages.map(({ callId, name }) => ({ type: 'tool-call' as const, callId, name, input: {} }))
  return [{ v: 1, role: 'assistant', content }, ...messages]
}

const tokensOf = (messages: readonly Message[]): number => {
  return messages.reduce((tokens, message) => tokens + estimateMessage(message), 0)
}
const textOf = (message: Message): string => (typeof message.content === 'string' ? message.content : '')

/** Compacts with a model that summarizes by repeating every line with a fact. */
async function compacted(messages: Message[], options: Partial<CompactRequest> & { room: number }) {
  const prompts: Message[][] = []
  const request: CompactRequest = {
    messages,
    compaction: notCompacted,
    questionAt: messages.findLastIndex(({ role }) => role === 'user'),
    resultTokens: Math.floor(options.room / 4),
    async summarize(prompt) {
      prompts.push(prompt)
      const facts = textOf(prompt[1] as Message).match(/FACT \w+/g) ?? []
      return `Facts: ${[...new Set(facts)].join(', ')}.`
    },
    ...options,
  }
  const { compaction, warnings } = await compact(request)
  const shown = compactedView(messages, compaction, request.questionAt, request.resultTokens)
  expect(validateTranscript(shown)).toEqual([])
  expect(shown[0]?.role).toBe('user')
  expect(tokensOf(shown)).toBeLessThanOrEqual(options.room)
  return { compaction, warnings, shown, prompts }
}

describe('the compacted view of a conversation', () => {
  const messages = [user('Hello'), answer('Hi.'), user('Search'), ...step(words(2000), words(2000)), answer('Done.')]

  it('is the same list when nothing is shortened', () => {
    expect(compactedView(messages, notCompacted, 2)).toBe(messages)
    expect(compactedView(messages, notCompacted, 2, 100_000)).toBe(messages)
  })

  it('cuts long results, and copies nothing else', () => {
    const shown = compactedView(messages, notCompacted, 2, 200)
    expect(shown).toHaveLength(messages.length)
    expect(resultText(shown[4] as ToolMessage)).toMatch(/^word word.*call_1.*\]$/s)
    for (const index of [0, 1, 2, 3, 6]) expect(shown[index]).toBe(messages[index])
  })

  it('has placeholders for removed results', () => {
    const shown = compactedView(messages, { covered: 0, cleared: 5 }, 2)
    expect(shown[4]?.content).toMatch(/^\[result removed/)
    expect(shown[5]).toBe(messages[5])
  })

  it('cuts the results of a step that were too long together, and no later ones', () => {
    const compaction: Compaction = { covered: 0, cleared: 0, cut: { before: 5, resultTokens: 200 } }
    const shown = compactedView(messages, compaction, 2)
    expect(shown[4]?.content).toContain('To read on')
    expect(shown[5]).toBe(messages[5])
    const forLess = compactedView(messages, { ...compaction, cut: { before: 6, resultTokens: 2000 } }, 2, 200)
    expect(forLess[4]).toEqual(shown[4])
  })

  it('has the summary first, marked as a summary', () => {
    const shown = compactedView(messages, { covered: 2, summary: 'They said hello.', cleared: 2 }, 2)
    expect(shown).toEqual([user('[Summary of the earlier conversation]\nThey said hello.'), ...messages.slice(2)])
  })

  it('has the question after a summary that covers later messages', () => {
    const shown = compactedView(messages, { covered: 6, summary: 'They said hello.', cleared: 6 }, 2)
    expect(shown.slice(1)).toEqual([user('Search'), answer('Done.')])
  })

  it('consists of the same objects each time', () => {
    const compaction: Compaction = { covered: 2, summary: 'They said hello.', cleared: 5 }
    const once = compactedView(messages, compaction, 2, 200)
    const again = compactedView(messages, compaction, 2, 200)
    for (const [index, message] of once.entries()) expect(again[index]).toBe(message)
    expect(Object.isFrozen(once[0])).toBe(true)
  })
})

describe('a stored compaction', () => {
  it('is plain JSON', () => {
    const compaction: Compaction = { covered: 4, summary: 'S', cleared: 5, cut: { before: 5, resultTokens: 300 } }
    expectTypeOf(compaction).toExtend<JSONValue>()
    expect(JSON.parse(JSON.stringify(compaction))).toEqual(compaction)
  })

  const messages = [user('Hello'), ...step('a', 'b'), answer('Hi.'), user('Search'), answer('Done.')]

  it('is read as it was stored', () => {
    const compaction: Compaction = { covered: 4, summary: 'S', cleared: 5, cut: { before: 5, resultTokens: 300 } }
    const stored: JSONValue = JSON.parse(JSON.stringify(compaction))
    expect(readCompaction(stored, messages)).toEqual(compaction)
  })

  it.each<[string, unknown, Compaction]>([
    ['nothing', undefined, notCompacted],
    ['null', null, notCompacted],
    ['a text', 'covered', notCompacted],
    ['a list', [4], notCompacted],
    ['wrong types', { covered: '4', summary: 'S', cleared: true, cut: 'all' }, notCompacted],
    ['no whole numbers', { covered: 1.5, summary: 'S', cleared: Number.NaN }, notCompacted],
    ['numbers below 0', { covered: -1, summary: 'S', cleared: -2 }, notCompacted],
    ['messages covered without a summary', { covered: 4, cleared: 4 }, { covered: 0, cleared: 4 }],
    ['a summary of nothing', { covered: 0, summary: 'S', cleared: 0 }, notCompacted],
    ['more covered than there is', { covered: 8, summary: 'S', cleared: 0 }, notCompacted],
    ['all covered', { covered: 7, summary: 'S', cleared: 0 }, notCompacted],
    ['more cleared than there is', { covered: 0, cleared: 100 }, { covered: 0, cleared: 7 }],
    [
      'a covered call without its result',
      { covered: 2, summary: 'S', cleared: 0 },
      { covered: 1, summary: 'S', cleared: 0 },
    ],
    ['half of its results', { covered: 3, summary: 'S', cleared: 0 }, { covered: 1, summary: 'S', cleared: 0 }],
    ['results cut to nothing', { covered: 0, cleared: 0, cut: { before: 4, resultTokens: 0 } }, notCompacted],
    [
      'results cut nowhere',
      { covered: 0, cleared: 0, cut: { before: {}, resultTokens: 300 } },
      { ...notCompacted, cut: { before: 0, resultTokens: 300 } },
    ],
    ['a cut that is null', { covered: 0, cleared: 0, cut: null }, notCompacted],
  ])('is corrected where it is invalid: %s', (_name, stored, expected) => {
    const compaction = readCompaction(stored, messages)
    expect(compaction).toEqual(expected)
    expect(validateTranscript(compactedView(messages, compaction, 5))).toEqual([])
  })
})

describe('old tool results', () => {
  const question = user('Find it')
  const steps = Array.from({ length: 10 }, () => step(words(100)))
  const conversation = [question, ...steps.flat()]

  it('are removed first, oldest first, down to 60 % of the room, without a model call', async () => {
    const room = tokensOf(conversation) - 1
    const { shown, prompts, compaction } = await compacted(conversation, { room })
    expect(prompts).toEqual([])
    expect(compaction).toEqual({ covered: 0, cleared: expect.any(Number) })
    const removed = shown.map((message) => textOf(message).startsWith('[result removed'))
    const first = removed.indexOf(true)
    const last = removed.lastIndexOf(true)
    expect(first).toBe(2)
    for (let index = first; index <= last; index += 2) expect(removed[index]).toBe(true)
    expect(tokensOf(shown)).toBeLessThanOrEqual(room * 0.6)
    expect(tokensOf(shown)).toBeGreaterThan(room * 0.4)
  })

  it('then stay unchanged for many steps', async () => {
    const room = tokensOf(conversation) - 1
    const { compaction, shown } = await compacted(conversation, { room })
    const later = [...conversation, ...step(words(100)), ...step(words(100))]
    expect(compactedView(later, compaction, 0).slice(0, shown.length)).toEqual(shown)
    expect(tokensOf(compactedView(later, compaction, 0))).toBeLessThan(room)
  })

  it('of the last two steps are kept when removing the others is enough', async () => {
    const others = conversation.length - 4
    const room = tokensOf(compactedView(conversation, { covered: 0, cleared: others }, 0))
    const { shown, prompts, compaction } = await compacted(conversation, { room })
    expect(prompts).toEqual([])
    expect(compaction.cleared).toBe(others)
    expect(shown.slice(-4)).toEqual(conversation.slice(-4))
    const tighter = await compacted(conversation, { room: room - 1 })
    expect(tighter.prompts).not.toEqual([])
    expect(tighter.shown.slice(-2)).toEqual(conversation.slice(-2))
  })

  it('are ignored if a summary covers them', async () => {
    const compaction = { covered: 13, summary: 'They searched.', cleared: 0 }
    const room = tokensOf(compactedView(conversation, { ...compaction, cleared: 17 }, 0))
    const { prompts } = await compacted(conversation, { room, compaction })
    expect(prompts).toEqual([])
  })

  it('keep the current compaction while it fits', async () => {
    const { compaction } = await compacted([user('Hello')], { room: 1000 })
    expect(compaction).toBe(notCompacted)
  })
})

describe('a summary', () => {
  const turns = (count: number): Message[] => {
    return Array.from({ length: count }, (_, turn) => {
      return [user(`Turn ${turn}: FACT f${turn}. ${words(20)}`), answer(`Answer ${turn}: ${words(20)}`)]
    }).flat()
  }

  it('replaces the older messages, and the last ones stay', async () => {
    const conversation = [...turns(40), user(`What did I say? ${words(100)}`)]
    const { shown, prompts, compaction } = await compacted(conversation, { room: 1600 })
    const { covered, summary } = compaction
    expect(shown).toEqual([user(`[Summary of the earlier conversation]\n${summary}`), ...conversation.slice(covered)])
    expect(tokensOf(conversation.slice(covered))).toBeLessThanOrEqual(1600 * 0.4)
    expect(tokensOf(conversation.slice(covered - 1))).toBeGreaterThan(1600 * 0.4)
    const asked = prompts.map((prompt) => textOf(prompt[1] as Message)).join('\n')
    for (const message of conversation.slice(0, covered)) {
      expect(asked).toContain(typeof message.content === 'string' ? message.content : 'Answer')
    }
  })

  it('is requested in parts that fit, each with the summary so far', async () => {
    const answers: number[] = []
    const summaries: string[] = []
    const prompts: Message[][] = []
    await compacted([...turns(60), user('What did I say?')], {
      room: 1600,
      async summarize(prompt, maxOutputTokens) {
        expect(tokensOf(prompt) + maxOutputTokens).toBeLessThanOrEqual(1600)
        expect(prompt.map(({ role }) => role)).toEqual(['system', 'user'])
        if (summaries.length > 0) expect(textOf(prompt[1] as Message)).toContain(summaries.at(-1))
        answers.push(maxOutputTokens)
        prompts.push(prompt)
        summaries.push(`Summary number ${summaries.length}.`)
        return summaries.at(-1) ?? ''
      },
    })
    expect(prompts.length).toBeGreaterThan(2)
    expect(Math.max(...answers)).toBeLessThanOrEqual(400)
  })

  it('continues the one before it', async () => {
    const { compaction } = await compacted([...turns(40), user('What did I say?')], { room: 1600 })
    const later = await compacted([...turns(80), user('What did I say?')], { room: 1600, compaction })
    expect(later.compaction.covered).toBeGreaterThan(compaction.covered)
    expect(textOf(later.prompts[0]?.[1] as Message)).toContain(compaction.summary)
    expect(textOf(later.prompts[0]?.[1] as Message)).not.toContain('Turn 3:')
    expect(later.compaction.summary).toContain('FACT f0')
  })

  it('never separates calls from their results, and includes the findings of tools', async () => {
    const steps = Array.from({ length: 20 }, (_, index) => step(`FACT r${index}`, words(25), words(25))).flat()
    for (const room of [900, 950, 1000, 1100, 1200]) {
      const { shown, compaction } = await compacted([user('Find it'), ...steps], { room })
      expect(shown[1]).toEqual(user('Find it'))
      expect(shown[2]?.role).toBe('assistant')
      expect(compaction.summary).toContain('FACT r0')
    }
  })

  it('covers the question too where one turn is long', async () => {
    const question = user('FACT question')
    const conversation = [
      user('Hello'),
      answer('Hi.'),
      question,
      ...Array.from({ length: 40 }, () => step(words(15))).flat(),
    ]
    const { shown, compaction } = await compacted(conversation, { room: 1200 })
    expect(compaction.covered).toBeGreaterThan(2)
    expect(shown[1]).toBe(question)
    expect(compaction.summary).toContain('FACT question')
    const next = [...conversation, answer('Done.'), user('And now?')]
    const later = readCompaction(JSON.parse(JSON.stringify(compaction)), next)
    expect(textOf(compactedView(next, later, next.length - 1)[0] as Message)).toContain('FACT question')
  })

  it('omits the question when it is sent next to the summary', async () => {
    const conversation = [...turns(20), user('FACT question'), ...step(words(300), words(300))]
    const { shown, compaction } = await compacted(conversation, { room: 1600 })
    expect(compaction.covered).toBe(40)
    expect(compaction.summary).not.toContain('FACT question')
    expect(shown[1]).toEqual(user('FACT question'))
  })

  it('is cut when the model exceeds its length', async () => {
    const summarize = async (): Promise<string> => `FIRST ${words(5000)} LAST`
    const { compaction } = await compacted([...turns(40), user('What did I say?')], { room: 1600, summarize })
    expect(estimateMessage(user(compaction.summary ?? ''))).toBeLessThan(1600 * 0.26)
    expect(compaction.summary).toMatch(
      /^FIRST word.*\[… \d+ characters left out …\].* LAST\nThe conversation began with: User: Turn 0: /s,
    )
  })

  it('splits a message that is longer than a request', async () => {
    const long = `${words(200)} FACT middle ${words(200)}`
    const { compaction } = await compacted([user(long), answer('Hm.'), ...turns(5), user('And?')], { room: 1600 })
    expect(compaction.summary).toContain('FACT middle')
  })

  it('omits the middle of a huge message, to need few requests', async () => {
    const long = `FACT first ${words(50_000)} FACT last`
    const { compaction, prompts } = await compacted([user(long), answer('Hm.'), ...turns(5), user('And?')], {
      room: 1600,
    })
    expect(prompts.length).toBeLessThanOrEqual(6)
    expect(prompts.map((prompt) => textOf(prompt[1] as Message)).join('\n')).toMatch(/\[… \d+ characters left out …\]/)
    expect(compaction.summary).toMatch(/FACT first.*FACT last/)
  })

  it('that was made for a model with more room is summarized too', async () => {
    const summary = `FACT old ${words(900)}`
    const conversation = [...turns(2), user('And?')]
    const compaction = { covered: 2, summary, cleared: 0 }
    const later = await compacted(conversation, { room: 1000, compaction })
    expect(later.compaction.summary).toMatch(/^Facts: FACT old\./)
    expect(later.shown.slice(1)).toEqual(conversation.slice(2))
  })

  it('omits the middle of tool results', async () => {
    const conversation = [user('Search'), ...step(words(20_000)), answer('Hm.'), ...turns(12), user('And?')]
    const { prompts } = await compacted(conversation, { room: 1600, resultTokens: 1600 })
    expect(prompts).toHaveLength(2)
    expect(textOf(prompts[0]?.[1] as Message)).toMatch(/Result of search: word .*characters left out.* word\n/s)
  })

  it('is made before the last results are cut, which stay whole if they fit beside it', async () => {
    const conversation = [...turns(30), user('Search'), ...step(words(250), words(250))]
    const room = tokensOf(conversation) - 100
    const { shown, compaction } = await compacted(conversation, { room, resultTokens: room })
    expect(compaction.summary).toContain('FACT f0')
    expect(compaction.cut).toBeUndefined()
    expect(shown.slice(-3)).toEqual(conversation.slice(-3))
  })

  it('cuts the last results if they do not fit beside it', async () => {
    const conversation = [...turns(80), user('Search'), ...step(...Array.from({ length: 8 }, () => words(600)))]
    const { shown, compaction } = await compacted(conversation, { room: 4000 })
    expect(compaction.summary).toContain('FACT f0')
    for (const message of shown.slice(-8)) expect(textOf(message)).toMatch(/^word .*To read on/s)
  })

  it('is not made of few messages: results are cut instead', async () => {
    const conversation = [...turns(3), user('Search'), ...step(...Array.from({ length: 8 }, () => words(600)))]
    const { prompts, shown, compaction } = await compacted(conversation, { room: 4000 })
    expect(prompts).toEqual([])
    expect(shown.slice(0, 8)).toEqual(conversation.slice(0, 8))
    expect(compaction.cut?.before).toBe(conversation.length)
  })
})

describe('a summary that fails', () => {
  const conversation = [
    user(`My name is Ada. ${words(200)}`),
    ...Array.from({ length: 30 }, (_, turn) => [
      answer(`Answer ${turn}. ${words(20)}`),
      user(`Turn ${turn}. ${words(20)}`),
    ]).flat(),
  ]

  it.each<[string, () => Promise<string>, string]>([
    ['with a failure of the model', () => Promise.reject(new AgentKitError('rate-limit', 'Slow down.')), 'rate-limit'],
    ['with another error', () => Promise.reject(new Error('sk-1234567890abcdef is wrong')), '[redacted] is wrong'],
    [
      'with a timeout of its own',
      () => Promise.reject(new AgentKitError('timeout', 'x', { phase: 'idle' })),
      'timeout',
    ],
    ['by saying nothing', async () => ' \n', 'the model gave nothing'],
  ])('%s is replaced by the beginnings of the messages, with a warning', async (_name, summarize, reason) => {
    const { compaction, warnings } = await compacted(conversation, { room: 1000, summarize })
    expect(warnings).toEqual([`Earlier messages were shortened, as no summary of them could be made: ${reason}.`])
    expect(compaction.summary).toMatch(/^User: My name is Ada\. .*…\n\[… \d+ messages left out …\]\n/)
    expect(compaction.summary).toContain(`\nUser: Turn `)
  })

  it('that is about something else keeps the start of the conversation, however often it is repeated', async () => {
    let compaction: Compaction = notCompacted
    let said: Message[] = [...conversation]
    for (let round = 0; round < 4; round++) {
      const summarize = async (): Promise<string> => `I have taken note of all that. ${words(60)}`
      const made = await compacted([...said, user('And?')], { room: 1000, compaction, summarize })
      compaction = made.compaction
      said = [...said, user('And?'), ...conversation.slice(1)]
    }
    expect(compaction.summary).toMatch(/The conversation began with: User: My name is Ada\./)
  })

  it('that is almost empty is completed by the beginnings of the messages, however often', async () => {
    let compaction: Compaction = notCompacted
    let said: Message[] = [...conversation]
    for (let round = 0; round < 6; round++) {
      const made = await compacted([...said, user('And?')], { room: 1000, compaction, summarize: async () => 'Noted.' })
      expect(made.warnings).toEqual(['A summary of earlier messages says next to nothing.'])
      compaction = made.compaction
      said = [...said, user('And?'), ...conversation.slice(1)]
    }
    expect(compaction.summary).toContain('My name is Ada.')
  })

  it('is replaced by only the beginning of a message', async () => {
    const long = Array.from({ length: 20 }, (_, index) => user(`Message ${index}: ${words(500)}`))
    const summarize = (): Promise<string> => Promise.reject(new AgentKitError('overloaded', 'Busy.'))
    const { compaction } = await compacted([...long, user('And?')], { room: 8000, summarize })
    const lines = compaction.summary?.split('\n') ?? []
    expect(lines[0]).toMatch(/^User: Message 0: word/)
    expect(lines.length).toBeGreaterThan(8)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(201)
  })

  it('keeps the content of the summary so far', async () => {
    let asked = 0
    const summarize = async (): Promise<string> => {
      if (++asked > 1) throw new AgentKitError('overloaded', 'Busy.')
      return 'The user is Ada.'
    }
    const { compaction, warnings } = await compacted(conversation, { room: 1000, summarize })
    expect(compaction.summary).toMatch(/^The user is Ada\.\nUser: |^The user is Ada\.\nAssistant: /)
    expect(warnings).toHaveLength(1)
  })

  it('keeps a summary that was made for a model with more room, shortened', async () => {
    const summarize = (): Promise<string> => Promise.reject(new AgentKitError('overloaded', 'Busy.'))
    const compaction = { covered: 1, summary: `The user is Ada. ${words(900)}`, cleared: 0 }
    const later = await compacted(conversation, { room: 1000, summarize, compaction })
    expect(later.compaction.summary).toMatch(/^The user is Ada\. .*characters left out.*\n(User|Assistant): /s)
  })

  it('is not requested when there is no room for the request', async () => {
    const { compaction, prompts, warnings } = await compacted(conversation, { room: 300 })
    expect(prompts).toEqual([])
    expect(compaction.summary).toMatch(/^User: My name is Ada\./)
    expect(warnings).toHaveLength(1)
  })

  it.each([
    new AgentKitError('aborted', 'Stop.'),
    new AgentKitError('budget', 'Enough.'),
    new AgentKitError('timeout', 'Late.', { phase: 'run' }),
  ])('fails the run for $code', async (error) => {
    const request = compacted(conversation, { room: 1000, summarize: () => Promise.reject(error) })
    await expect(request).rejects.toBe(error)
  })
})

describe('the last step', () => {
  it('has its results cut equally, longest first, and leaves room for the next step', async () => {
    const conversation = [user('Read them'), ...step('short', ...Array.from({ length: 8 }, () => words(600)))]
    const { shown, prompts } = await compacted(conversation, { room: 4000 })
    expect(prompts).toEqual([])
    expect(shown.slice(0, 3)).toEqual(conversation.slice(0, 3))
    for (const message of shown.slice(3)) expect(textOf(message)).toContain('To read on')
    expect(tokensOf(shown)).toBeLessThanOrEqual(4000 * 0.65)
    expect(tokensOf(shown)).toBeGreaterThan(4000 * 0.5)
  })

  it('has its results removed if their beginnings do not fit either', async () => {
    const conversation = [user(words(400)), ...step(...Array.from({ length: 8 }, () => words(400)))]
    const least = tokensOf(compactedView(conversation, { covered: 0, cleared: conversation.length }, 0))
    const { shown } = await compacted(conversation, { room: least + 100 })
    expect(shown.slice(0, 2)).toEqual(conversation.slice(0, 2))
    for (const message of shown.slice(2)) expect(textOf(message)).toMatch(/^\[result removed/)
  })

  it('has its results cut also beside a question that takes most of the room', async () => {
    const question = user(words(1000))
    const conversation = [question, ...step(...Array.from({ length: 2 }, () => words(900)))]
    const { shown } = await compacted(conversation, { room: tokensOf([question]) * 1.5, resultTokens: 4000 })
    for (const message of shown.slice(-2)) {
      expect(textOf(message)).toMatch(/^word .*To read on/s)
      expect(estimateText(textOf(message))).toBeGreaterThan(250)
    }
  })

  it('keeps the question whole: if that does not fit, the error has the numbers', async () => {
    const question = user(words(5000))
    const error = await compacted([user('Hello'), answer('Hi.'), question], { room: 1000 }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'context-overflow',
      message: expect.stringMatching(
        new RegExp(
          `^The question, about ${tokensOf([question])} tokens, takes about \\d+ with .* room for 1000\\. Ask with less`,
        ),
      ),
    })
  })

  it('is checked before a model is called', async () => {
    const prompts: unknown[] = []
    const summarize = async (prompt: unknown): Promise<string> => {
      prompts.push(prompt)
      return 'S'
    }
    const before = Array.from({ length: 40 }, () => [user(words(20)), answer(words(20))]).flat()
    await expect(compacted([...before, user(words(5000))], { room: 1000, summarize })).rejects.toThrow('context window')
    expect(prompts).toEqual([])
  })
})

describe('the results of a tool with `keepResult`', () => {
  const kept = (text: string): Message[] => {
    return step(text).map((message) => (message.role === 'tool' ? { ...message, kept: true } : message))
  }
  const body = `BODY ${words(120)} END`

  it('are not removed with the other results', async () => {
    const conversation = [user('Search'), ...kept(body), ...[1, 2, 3, 4, 5].flatMap(() => step(words(300)))]
    const { shown } = await compacted(conversation, { room: 3200 })
    expect(shown.map(textOf).filter((text) => text.startsWith('[result removed')).length).toBeGreaterThan(0)
    expect(shown[2]).toBe(conversation[2])
  })

  it('are placed after the summary that replaces them, and the model that writes it does not read them', async () => {
    const conversation = [user('Search'), ...kept(body), answer('FACT one'), ...turnsOf(60), user('And?')]
    const { shown, prompts } = await compacted(conversation, { room: 1600 })
    expect(textOf(shown[0] as Message)).toMatch(/^\[Summary .*FACT one.*\[Result of search, as it was\]\nBODY .* END$/s)
    expect(JSON.stringify(prompts)).not.toContain('BODY')
  })

  it('stay through later summaries, and through storage', async () => {
    let conversation = [user('Search'), ...kept(body), answer('FACT one'), ...turnsOf(60), user('And?')]
    let { compaction } = await compacted(conversation, { room: 1600 })
    for (let round = 0; round < 3; round++) {
      conversation = [...conversation, ...turnsOf(60), user('And?')]
      compaction = readCompaction(JSON.parse(JSON.stringify(compaction)), conversation)
      const next = await compacted(conversation, { room: 1600, compaction })
      compaction = next.compaction
      expect(textOf(next.shown[0] as Message)).toContain(body)
    }
  })

  it('are kept once if they are equal, and the newest of those that have no room together', async () => {
    const old = `OLD ${words(250)}`
    const conversation = [user('Search'), ...kept(old), ...kept(body), ...kept(body), ...turnsOf(60), user('And?')]
    const { shown } = await compacted(conversation, { room: 1600 })
    const [summary = ''] = shown.map(textOf)
    expect(summary.split('BODY')).toHaveLength(2)
    expect(summary).not.toContain('OLD')
  })

  it('give way where the conversation does not fit otherwise', async () => {
    const conversation = [user(words(700)), ...kept(body), ...step(...Array.from({ length: 6 }, () => words(400)))]
    const least = tokensOf(compactedView(conversation, { covered: 0, cleared: conversation.length }, 0))
    const { shown } = await compacted(conversation, { room: least + 20 })
    expect(shown.map(textOf).join()).not.toContain('BODY')
  })

  it('are removed like all others without it', async () => {
    const conversation = [user('Search'), ...step(body), answer('FACT one'), ...turnsOf(60), user('And?')]
    const { shown } = await compacted(conversation, { room: 1600 })
    expect(shown.map(textOf).join()).not.toContain('BODY')
  })

  function turnsOf(count: number): Message[] {
    return Array.from({ length: count }, (_, turn) => [user(`Turn ${turn} ${words(8)}`), answer(words(8))]).flat()
  }
})
