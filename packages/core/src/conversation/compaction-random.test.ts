import { describe, expect, it } from 'vitest'
import { AgentKitError, isAgentKitError } from '../data/errors.ts'
import type { AssistantPart, Message, ToolMessage, UserPart } from '../data/message.ts'
import { validateTranscript } from '../data/transcript.ts'
import { estimateMessage, estimateText } from '../tokens/estimate-tokens.ts'
import { type Compaction, compactedView, notCompacted, readCompaction } from './compacted-view.ts'
import { compact } from './compaction.ts'
import { removedResult, resultText, shownResult } from './long-results.ts'

const info = { imageTokens: 85 }
const tokensOf = (messages: readonly Message[]): number => {
  return messages.reduce((tokens, message) => tokens + estimateMessage(message, info), 0)
}

describe('a conversation of 200 turns', () => {
  it.each([700, 1500, 4000, 12_000])('still contains its first turn, in requests of %i tokens', async (room) => {
    const chat = createChat(room, (transcript) => {
      const facts = transcript.split('\n').filter((line) => line.includes('FACT'))
      return [...new Set(facts)].join('\n')
    })
    for (let turn = 0; turn < 200; turn++) {
      chat.ask(turn === 0 ? 'FACT: my dog is called Bello.' : `Question ${turn}: ${'what about it? '.repeat(5)}`)
      await chat.show()
      if (turn % 3 === 0) {
        chat.addStep([`Found ${'something '.repeat(40)}`])
        await chat.show()
      }
      chat.answer(`Answer ${turn}: ${'it is like this. '.repeat(8)}`)
    }
    chat.ask('What is my dog called?')
    expect(JSON.stringify(await chat.show())).toContain('Bello')
    expect(chat.requests.length).toBeGreaterThan(0)
    expect(Math.max(...chat.requests)).toBeLessThanOrEqual(room)
  })
})

describe('any conversation', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))('is compacted without losing facts: %i', async (seed) => {
    const random = createRandom(seed)
    const room = random.between(500, 6000)
    let summaries = 0
    const chat = createChat(room, () => {
      if (random.chance(0.05)) throw new AgentKitError('overloaded', 'Busy.')
      return `Summary ${++summaries} of ${seed}. ${random.text(random.chance(0.1) ? 3000 : 100)}`
    })
    for (let turn = random.between(3, 12); turn > 0; turn--) {
      const start = chat.ask(random.userContent(random.chance(0.05) ? room * 8 : random.between(3, room)))
      try {
        await chat.show()
        for (let step = random.between(0, 6); step > 0; step--) {
          if (random.chance(0.1)) {
            chat.answer(random.text(50))
            chat.note(random.text(30))
          } else {
            chat.addStep(
              Array.from({ length: random.between(1, 4) }, () => random.result(room)),
              random.text(20),
            )
          }
          await chat.show()
        }
        chat.answer(random.text(random.between(1, room)))
      } catch (error) {
        if (!isAgentKitError(error) || error.code !== 'context-overflow') throw error
        // The question and the last step alone do not fit.
        expect(chat.least(start)).toBeGreaterThan(room - 100)
        chat.forget(start)
      }
    }
  })
})

/** A conversation as a run keeps it, checked at each request to a model. */
function createChat(room: number, summarize: (transcript: string) => string) {
  const resultTokens = Math.floor(room / 4)
  const requests: number[] = []
  let messages: Message[] = []
  let compaction: Compaction = notCompacted
  let questionAt = 0
  let calls = 0

  const makeRoom = async (): Promise<void> => {
    const prompts: string[] = []
    const before = compaction
    const made = await compact({
      messages,
      compaction,
      questionAt,
      room,
      resultTokens,
      info,
      async summarize(prompt, maxOutputTokens) {
        requests.push(tokensOf(prompt) + maxOutputTokens)
        const text = resultText(prompt[1] as ToolMessage)
        prompts.push(text)
        return summarize(text)
      },
    })
    compaction = made.compaction
    expect(Math.max(0, ...requests)).toBeLessThanOrEqual(room)
    expect(compaction.covered).toBeGreaterThanOrEqual(before.covered)
    if (made.warnings.length === 0) checkSummarized(before, compaction, prompts)
  }

  const checkSummarized = (before: Compaction, after: Compaction, prompts: string[]): void => {
    const transcripts = prompts.map((prompt) => {
      return prompt.slice(prompt.indexOf('Conversation:\n') + 14, prompt.lastIndexOf('\n\nWrite the new summary'))
    })
    const sent = transcripts.join('\n\n').replaceAll('\n\n[continued] ', '')
    if (after.summary !== before.summary && before.summary) {
      expect(sent.includes(before.summary) || prompts[0]?.includes(before.summary)).toBe(true)
    }
    const isNew = (index: number): boolean => index >= before.covered || before.kept?.includes(index) === true
    for (const [index, message] of messages.slice(0, after.covered).entries()) {
      if (!isNew(index) || after.kept?.includes(index)) continue
      const texts = Array.isArray(message.content)
        ? message.content
        : [{ type: 'text' as const, text: message.content }]
      for (const part of texts) {
        if (part.type !== 'text') continue
        // What fits into a request is sent whole, except the middle of a result.
        if (message.role === 'tool') expect(sent).toContain(room > 1500 ? part.text.slice(0, 5) : 'Result of search: ')
        else if (estimateText(part.text) <= room * 0.9) expect(sent.includes(part.text)).toBe(true)
      }
    }
  }

  return {
    requests,
    ask(content: string | UserPart[]): number {
      questionAt = messages.length
      messages = [...messages, { v: 1, role: 'user', content }]
      const stored = JSON.parse(JSON.stringify(compaction))
      const read = readCompaction(stored, messages)
      expect(read).toEqual(compaction)
      compaction = read
      return questionAt
    },
    note: (content: string) => void messages.push({ v: 1, role: 'user', content }),
    answer: (text: string) => void messages.push({ v: 1, role: 'assistant', content: [{ type: 'text', text }] }),
    addStep(results: ToolMessage['content'][], said = ''): void {
      const made = results.map((content): ToolMessage => {
        const isKept = ++calls % 4 === 0
        return { v: 1, role: 'tool', callId: `call_${calls}`, name: 'search', content, ...(isKept && { kept: true }) }
      })
      const content: AssistantPart[] = made.map(({ callId, name }) => ({ type: 'tool-call', callId, name, input: {} }))
      if (said !== '') content.unshift({ type: 'text', text: said })
      messages.push({ v: 1, role: 'assistant', content }, ...made)
    },
    async show(): Promise<readonly Message[]> {
      const show = (): readonly Message[] => compactedView(messages, compaction, questionAt, resultTokens)
      if (tokensOf(show()) > room) await makeRoom()
      const shown = show()
      requests.push(tokensOf(shown))
      expect(requests.at(-1)).toBeLessThanOrEqual(room)
      expect(validateTranscript(shown)).toEqual([])
      expect(shown).toContain(messages[questionAt])
      for (const index of compaction.kept ?? []) {
        const { callId } = messages[index] as ToolMessage
        const whole = resultText(shownResult(messages[index] as ToolMessage, resultTokens))
        const isThere = shown.some((message) => message.role === 'tool' && message.callId === callId)
        expect(isThere || String(shown[0]?.content).includes(whole)).toBe(true)
      }
      const kept = messages.slice(compaction.covered)
      const last = shown.slice(shown.length - kept.length)
      for (const [index, message] of kept.entries()) {
        const visible = last[index]
        if (visible === message) continue
        expect(visible).toMatchObject({ role: 'tool', callId: (message as ToolMessage).callId })
        expect(resultText(visible as ToolMessage)).toContain('read_tool_result')
      }
      return shown
    },
    /** The tokens of the question and the last step when all results are removed. */
    least(start: number): number {
      const step = messages.findLastIndex((message, index) => {
        return index > start && message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call')
      })
      const end = step === -1 ? messages.slice(Math.max(start + 1, messages.length - 1)) : messages.slice(step)
      const shortest = end.map((message) => (message.role === 'tool' ? removedResult(message) : message))
      return tokensOf([messages[start] as Message, ...shortest])
    },
    /** A turn that failed is not part of the conversation. */
    forget(start: number): void {
      messages = messages.slice(0, start)
      compaction = readCompaction(compaction, messages)
    },
  }
}

/** The same numbers for the same seed. */
function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const chance = (probability: number): boolean => next() < probability
  const words = [
    'Haus ',
    'the ',
    'configuration\n',
    '{"a": [1, 2]} ',
    '今天天气很好',
    '🦊',
    '12345678 ',
    'naïve — ',
    '    ',
  ]
  const text = (length: number): string => {
    let made = `${seed}.${between(0, 1e9)} `
    while (made.length < length) made += words[between(0, words.length - 1)]
    return made
  }
  return {
    between,
    chance,
    text,
    userContent(length: number): string | UserPart[] {
      if (chance(0.8)) return text(length)
      return [
        { type: 'text', text: text(length) },
        { type: 'image', base64: 'aGk=' },
      ]
    },
    result(room: number): ToolMessage['content'] {
      const whole = text(chance(0.2) ? room * 10 : chance(0.5) ? room : between(1, 200))
      if (chance(0.85)) return whole
      return [
        { type: 'text', text: whole },
        { type: 'image', base64: 'aGk=' },
        { type: 'text', text: text(50) },
      ]
    },
  }
}
