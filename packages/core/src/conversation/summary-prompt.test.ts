import { describe, expect, it } from 'vitest'
import type { Message } from '../data/message.ts'
import { estimateText } from '../tokens/estimate-tokens.ts'
import { cutMiddle, labelledText, messageAsText, summaryPrompt } from './summary-prompt.ts'

describe('a message in the prompt of a summary', () => {
  it.each<[string, Message, string]>([
    ['a question', { role: 'user', content: 'Hello' }, 'User: Hello'],
    [
      'images and files',
      {
        role: 'user',
        content: [
          { type: 'image', base64: 'aGk=' },
          { type: 'file', base64: 'aGk=', mediaType: 'application/pdf', name: 'plan.pdf' },
          { type: 'file', url: 'https://example.com/a', mediaType: 'text/plain' },
          { type: 'text', text: 'Look.' },
        ],
      },
      'User: [image] [file plan.pdf] [file] Look.',
    ],
    [
      'an answer, without its reasoning',
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', callId: 'a', name: 'look', input: { at: 'plan' } },
          { type: 'tool-call', callId: 'b', name: 'look', input: {}, inputText: '{"at' },
        ],
      },
      'Assistant: I look.\nAssistant called look: {"at":"plan"}\nAssistant called look: {"at',
    ],
    ['reasoning alone', { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] }, ''],
    ['a result', { role: 'tool', callId: 'a', name: 'look', content: 'A house.' }, 'Result of look: A house.'],
    [
      'a failed result with an image',
      {
        role: 'tool',
        callId: 'a',
        name: 'look',
        isError: true,
        content: [
          { type: 'text', text: 'Half ' },
          { type: 'image', url: 'https://example.com/a.png' },
          { type: 'text', text: 'a house.' },
        ],
      },
      'Error of look: Half a house. [image]',
    ],
    ['an instruction', { role: 'system', content: 'Be brief.' }, 'System: Be brief.'],
  ])('is plain text: %s', (_name, message, text) => expect(messageAsText(message, 100)).toBe(text))

  it('omits the middle of long results and inputs, and nothing of the messages’ text', () => {
    const long = 'word '.repeat(1000)
    const call: Message = {
      role: 'assistant',
      content: [
        { type: 'text', text: long },
        { type: 'tool-call', callId: 'a', name: 'write', input: { text: long } },
      ],
    }
    const [said = '', called = ''] = messageAsText(call, 100).split('Assistant called')
    expect(said).toContain(long)
    expect(called).toMatch(/^ write: \{"text":"word .*characters left out.* word "\}$/s)
    expect(estimateText(called)).toBeLessThan(120)
    const result: Message = { role: 'tool', callId: 'a', name: 'look', content: long }
    expect(estimateText(messageAsText(result, 100))).toBeLessThan(120)
  })

  it('can omit calls and results', () => {
    expect(
      labelledText({ role: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'look', input: {} }] }),
    ).toBe('')
    expect(labelledText({ role: 'tool', callId: 'a', name: 'look', content: 'A house.' })).toBe('')
  })
})

describe('a text that is cut in its middle', () => {
  it.each(['word '.repeat(2000), '🦊'.repeat(2000), '今天天气很好'.repeat(500)])(
    'fits and stays whole characters: %#',
    (text) => {
      for (let tokens = 40; tokens < 400; tokens += 7) {
        const cut = cutMiddle(text, tokens)
        expect(estimateText(cut)).toBeLessThanOrEqual(tokens)
        expect(cut.isWellFormed()).toBe(true)
        const [start = '', count, end = ''] = cut.split(/\n\[… (\d+) characters left out …\]\n/)
        expect(text.startsWith(start) && text.endsWith(end)).toBe(true)
        expect(start.length + Number(count) + end.length).toBe(text.length)
      }
    },
  )

  it('is unchanged when it fits', () => {
    expect(cutMiddle('short', 10)).toBe('short')
  })
})

describe('the prompt of a summary', () => {
  it('is an instruction and one text, with the summary so far where there is one', () => {
    const [system, text] = summaryPrompt('So far.', 'User: Hello', 80)
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining('at most 80 words') })
    expect(text).toMatchObject({
      role: 'user',
      content: 'Summary so far:\nSo far.\n\nConversation:\nUser: Hello\n\nWrite the new summary of all of this.',
    })
    expect(summaryPrompt('', 'User: Hello', 80)[1]?.content).toMatch(/^Conversation:\n/)
  })
})
