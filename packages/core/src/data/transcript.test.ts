import { describe, expect, it } from 'vitest'
import type { Message } from './message.ts'
import type { Turn, TurnStatus } from './session-data.ts'
import { inCallOrder, stoppedNote, validateTranscript, visibleMessages } from './transcript.ts'

const user: Message = { role: 'user', content: 'Go' }
const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }
const calls = (...callIds: string[]): Message => ({
  role: 'assistant',
  content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'act', input: {} })),
})
const result = (callId: string, content = callId): Message => ({ role: 'tool', callId, name: 'act', content })
const interrupted = stoppedNote('interrupted')
const waiting = stoppedNote('waiting for approval')

describe('a valid transcript', () => {
  it.each<[string, Message[]]>([
    ['empty', []],
    ['a question', [user]],
    ['an answer', [{ role: 'system', content: 'Be brief.' }, user, answer]],
    ['calls and results', [user, calls('a', 'b'), result('a'), result('b'), answer, user]],
    ['results in another order', [user, calls('a', 'b'), result('b'), result('a')]],
    ['a call id again in a later message', [user, calls('a'), result('a'), calls('a'), result('a')]],
    ['an empty result', [user, calls('a'), result('a', '')]],
  ])('with %s', (_name, messages) => expect(validateTranscript(messages)).toEqual([]))
})

describe('an invalid transcript', () => {
  it.each<[string, Message[], { index: number; problem: string }[]]>([
    ['a result alone', [user, result('a')], [{ index: 1, problem: 'result of call "a" has no call' }]],
    ['a call alone', [user, calls('a')], [{ index: 1, problem: 'call "a" has no result' }]],
    ['a call before the next question', [user, calls('a'), user], [{ index: 1, problem: 'call "a" has no result' }]],
    [
      'one of two results',
      [user, calls('a', 'b'), result('b'), answer],
      [{ index: 1, problem: 'call "a" has no result' }],
    ],
    [
      'a result twice',
      [user, calls('a'), result('a'), result('a')],
      [{ index: 3, problem: 'result of call "a" has no call' }],
    ],
    [
      'a late result',
      [user, calls('a'), answer, result('a')],
      [
        { index: 1, problem: 'call "a" has no result' },
        { index: 3, problem: 'result of call "a" has no call' },
      ],
    ],
    ['an id twice', [user, calls('a', 'a'), result('a')], [{ index: 1, problem: 'call id "a" twice in one message' }]],
    ['an empty id', [user, calls(''), result('')], [{ index: 1, problem: 'tool call with an empty id' }]],
    ['an answer first', [answer], [{ index: 0, problem: 'the conversation does not begin with the user' }]],
    [
      'a late system message',
      [user, { role: 'system', content: 'x' }],
      [{ index: 1, problem: 'system message after the conversation began' }],
    ],
    ['an empty answer', [user, { role: 'assistant', content: [] }], [{ index: 1, problem: 'empty assistant message' }]],
    ['an empty question', [{ role: 'user', content: '' }], [{ index: 0, problem: 'empty user message' }]],
    ['no parts', [{ role: 'user', content: [] }], [{ index: 0, problem: 'empty user message' }]],
  ])('with %s', (_name, messages, problems) => expect(validateTranscript(messages)).toEqual(problems))
})

describe('the messages of a turn that the model sees', () => {
  it.each<[TurnStatus, string, Message[], object[]]>([
    ['running', 'nothing', [user, answer], []],
    ['done', 'all of it', [user, calls('a'), result('a'), answer], [user, calls('a'), result('a'), answer]],
    [
      'done',
      'results in the order of their calls',
      [user, calls('a', 'b'), result('b'), result('a'), answer],
      [user, calls('a', 'b'), result('a'), result('b'), answer],
    ],
    [
      'done',
      'no call without a result',
      [user, calls('a', 'b'), result('b'), answer],
      [user, calls('b'), result('b'), answer],
    ],
    ['done', 'no result without a call', [user, result('x'), answer], [user, answer]],
    [
      'done',
      'the first result of a call',
      [user, calls('a'), result('a', '1'), result('a', '2')],
      [user, calls('a'), result('a', '1')],
    ],
    ['done', 'the question, when the answer was empty', [user], [user]],
    ['failed', 'nothing without a call', [user, answer], []],
    ['failed', 'nothing without a finished call', [user, calls('a')], []],
    [
      'failed',
      'finished calls and a note',
      [user, calls('a', 'b'), result('b')],
      [user, calls('b'), result('b'), interrupted],
    ],
    [
      'failed',
      'the note that is there',
      [user, calls('a'), result('a'), answer],
      [user, calls('a'), result('a'), answer],
    ],
    [
      'failed',
      'earlier steps',
      [user, calls('a'), result('a'), calls('b')],
      [user, calls('a'), result('a'), interrupted],
    ],
    [
      'waiting',
      'finished calls and a note',
      [user, calls('a', 'b'), result('a')],
      [user, calls('a'), result('a'), waiting],
    ],
    ['waiting', 'nothing without a call', [user], []],
  ])('of a turn that is %s: %s', (status, _name, messages, seen) => {
    const before = structuredClone(messages)
    const turn: Turn = { runId: 'run_1', status, messages, createdAt: '2026-01-01T00:00:00.000Z' }
    const visible = visibleMessages(turn)
    expect(visible).toEqual(seen)
    expect(validateTranscript(visible)).toEqual([])
    expect(messages).toEqual(before)
  })

  it('keep the text beside a call that did not finish', () => {
    const spoken: Message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Both:' },
        { type: 'tool-call', callId: 'a', name: 'act', input: {} },
        { type: 'tool-call', callId: 'b', name: 'act', input: {} },
      ],
    }
    const turn: Turn = { runId: 'r', status: 'failed', messages: [user, spoken, result('a')], createdAt: '' }
    expect(visibleMessages(turn)[1]).toMatchObject({ content: [{ text: 'Both:' }, { callId: 'a' }] })
  })
})

describe('a journal sorted by its calls', () => {
  it.each<[string, Message[], Message[]]>([
    [
      'has results as their calls stand',
      [user, calls('a', 'b'), result('b'), result('a'), calls('c'), result('c'), answer],
      [user, calls('a', 'b'), result('a'), result('b'), calls('c'), result('c'), answer],
    ],
    ['keeps calls that have no result yet', [user, calls('a', 'b'), result('b')], [user, calls('a', 'b'), result('b')]],
    [
      'has no result twice, and none of another call',
      [user, calls('a'), result('a'), result('a', '2'), result('x')],
      [user, calls('a'), result('a')],
    ],
  ])('%s', (_name, journal, ordered) => expect(inCallOrder(journal)).toEqual(ordered))
})
