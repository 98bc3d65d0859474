import type { AssistantPart, JSONValue, Message, Opaque, ToolMessage, ToolSpec } from '@agentkit/core'
import { weather } from './answer-tests.ts'

export const user = (content: Extract<Message, { role: 'user' }>['content']): Message => ({ role: 'user', content })
export const assistant = (...content: AssistantPart[]): Message => ({
  role: 'assistant',
  content,
  model: 'elsewhere/large',
})
const text = (said: string): AssistantPart => ({ type: 'text', text: said })
export const call = (callId: string, input: JSONValue = { city: 'Oslo' }, name = 'weather'): AssistantPart => ({
  type: 'tool-call',
  callId,
  name,
  input,
})
export const result = (callId: string, content: ToolMessage['content'] = 'Sunny.', name = 'weather'): Message => ({
  role: 'tool',
  callId,
  name,
  content,
})
const foreign: Opaque = {
  owner: 'elsewhere/large',
  data: {
    signature: 'foreign-signature',
    thoughtSignature: 'foreign-signature',
    redacted: 'foreign-secret',
    encrypted_content: 'foreign-secret',
  },
}

/** An id in the format of other providers. */
export const ids = {
  long: `call_${'a1|'.repeat(150)}`,
  'long and plain': `call_${'a1'.repeat(225)}`,
  'with odd characters': 'fc_1/2+3=|ü',
  short: '0',
  anthropic: 'toolu_01A09q90qw90lq917835lq9',
  mistral: 'D681PevKs',
}
/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64')

/** Conversations that the server accepts, each with a word that must be in the request. */
export const conversations: Record<string, { messages: Message[]; arrives?: string[]; tools?: ToolSpec[] }> = {
  'of several turns': {
    messages: [{ role: 'system', content: 'Be brief-7.' }, user('Hello-1'), assistant(text('Hi-2')), user('And-3')],
    arrives: ['brief-7', 'Hello-1', 'Hi-2', 'And-3'],
  },
  'with instructions in several places': {
    messages: [
      { role: 'system', content: 'First-1.' },
      { role: 'system', content: 'Second-2.' },
      user('Hello'),
      assistant(text('Hi')),
      { role: 'system', content: 'Third-3.' },
      user('Again'),
    ],
    arrives: ['First-1', 'Second-2', 'Third-3'],
  },
  'with several messages of one role in a row (Q19)': {
    messages: [user('One-1'), user('Two-2'), assistant(text('A-3')), assistant(text('B-4')), user('Three-5')],
    arrives: ['One-1', 'Two-2', 'A-3', 'B-4', 'Three-5'],
  },
  'with blank text (Q1)': {
    messages: [
      { role: 'system', content: ' ' },
      user([
        { type: 'text', text: ' \n' },
        { type: 'text', text: 'Hello-1' },
      ]),
      assistant(text('  ')),
      user('Go on-2'),
    ],
    arrives: ['Hello-1', 'Go on-2'],
  },
  'with halves of characters (Q18)': {
    messages: [
      user('half \ud83d-1'),
      assistant(text('other \udc4b-2'), call('c1', { city: '\ud83d-3' })),
      result('c1', 'tool \ud83d-4'),
      user('go'),
    ],
    tools: [weather],
    arrives: ['\ufffd-1', '\ufffd-2', '\ufffd-4'],
  },
  'that begins with an answer (Q4)': {
    messages: [assistant(text('Welcome-1')), user('Hello-2')],
    arrives: ['Welcome-1', 'Hello-2'],
  },
  'that begins with a result (Q4)': {
    messages: [result('gone'), user('Hello-2')],
    arrives: ['Hello-2'],
    tools: [weather],
  },
  'that ends with an answer': {
    messages: [user('Hello-1'), assistant(text('Well-2'))],
    arrives: ['Hello-1', 'Well-2'],
  },
  'with a call in a turn without text (Q1)': {
    messages: [user('Hello'), assistant(text(''), call('c1')), result('c1', 'Sunny-1')],
    tools: [weather],
    arrives: ['Sunny-1'],
  },
  'with text after a call (Q34)': {
    messages: [user('Hello'), assistant(call('c1'), text('I looked-1.')), result('c1', 'Sunny-2'), user('So-3')],
    tools: [weather],
    arrives: ['I looked-1', 'Sunny-2', 'So-3'],
  },
  'with parallel calls (Q33, Q59)': {
    messages: [
      user('Hello'),
      assistant(text('Two.'), call('c1'), call('c2', { city: 'Rome' }), call('c3', { city: 'Bonn' })),
      result('c3', 'Rain-3'),
      result('c1', 'Sunny-1'),
      result('c2', 'Windy-2'),
      user('So-4'),
    ],
    tools: [weather],
    arrives: ['Sunny-1', 'Windy-2', 'Rain-3', 'So-4'],
  },
  'with a question directly after a result (Q45)': {
    messages: [user('Hello'), assistant(call('c1')), result('c1', 'Sunny-1'), user('Stop, what about Rome-2?')],
    tools: [weather],
    arrives: ['Sunny-1', 'Rome-2'],
  },
  'with calls that have no result (Q3)': {
    messages: [user('Hello'), assistant(call('c1'), call('c2')), result('c2', 'Windy-2'), user('Again-3')],
    tools: [weather],
    arrives: ['Windy-2', 'Again-3'],
  },
  'with results that have no call (Q3)': {
    messages: [user('Hello-1'), assistant(text('Hi')), result('gone', 'nowhere'), user('Again-3')],
    tools: [weather],
    arrives: ['Hello-1', 'Again-3'],
  },
  'with a failed call (Q33)': {
    messages: [
      user('Hello'),
      assistant(call('c1')),
      { role: 'tool', callId: 'c1', name: 'weather', content: 'No such city-1.', isError: true },
    ],
    tools: [weather],
    arrives: ['No such city-1'],
  },
  'with an empty result': { messages: [user('Hello'), assistant(call('c1')), result('c1', '')], tools: [weather] },
  'with arguments that are not JSON (Q2)': {
    messages: [
      user('Hello'),
      assistant({ type: 'tool-call', callId: 'c1', name: 'weather', input: {}, inputText: '{"city": ' }),
      { role: 'tool', callId: 'c1', name: 'weather', content: 'Those were no JSON-1.', isError: true },
    ],
    tools: [weather],
    arrives: ['no JSON-1'],
  },
  'with arguments that are not an object (Q47, Q78)': {
    messages: [
      user('Hello'),
      assistant(call('c1', [1, 2]), call('c2', 'Oslo'), call('c3', null)),
      result('c1'),
      result('c2'),
      result('c3'),
    ],
    tools: [weather],
  },
  'with a call of a tool that never existed (Q29)': {
    messages: [
      user('Hello'),
      assistant(call('c1', {}, 'multi_tool_use.parallel')),
      result('c1', 'No such tool-1.', 'multi_tool_use.parallel'),
      user('So'),
    ],
    tools: [weather],
    arrives: ['No such tool-1'],
  },
  'with calls of a tool that is no longer offered (Q57)': {
    messages: [user('Hello'), assistant(call('c1', {}, 'old_tool')), result('c1', 'Done-1.', 'old_tool'), user('So')],
    tools: [weather],
    arrives: ['Done-1'],
  },
  'with calls, without any tool': {
    messages: [user('Hello'), assistant(call('c1')), result('c1', 'Sunny-1'), user('So')],
    arrives: ['Sunny-1'],
  },
  'with the same ids in each turn (Q7)': {
    messages: [
      user('Hello'),
      assistant(call('call_0')),
      result('call_0', 'Sunny-1'),
      assistant(text('Sunny.')),
      user('Rome?'),
      assistant(call('call_0', { city: 'Rome' })),
      result('call_0', 'Windy-2'),
    ],
    tools: [weather],
    arrives: ['Sunny-1', 'Windy-2'],
  },
  'with reasoning and signatures of another model (Q5, Q36, Q58)': {
    messages: [
      user('Hello'),
      assistant(
        { type: 'reasoning', text: 'Hm.', opaque: foreign },
        { type: 'text', text: 'I look-1.', opaque: foreign },
        {
          type: 'tool-call',
          callId: 'c1',
          name: 'weather',
          input: { city: 'Oslo' },
          opaque: foreign,
        },
      ),
      result('c1', 'Sunny-2'),
      assistant({ type: 'reasoning', text: 'Only reasoning.', opaque: foreign }),
      user('So-3'),
    ],
    tools: [weather],
    arrives: ['I look-1', 'Sunny-2', 'So-3'],
  },
  'with an image': {
    messages: [
      user([
        { type: 'text', text: 'What is it-1?' },
        { type: 'image', base64: png, mediaType: 'image/png' },
      ]),
    ],
    arrives: ['What is it-1', png],
  },
  'with an image of an unknown kind': { messages: [user([{ type: 'image', base64: png }])], arrives: [png] },
  'with an image by its URL': {
    messages: [
      user([
        { type: 'text', text: 'What is it-1?' },
        { type: 'image', url: 'https://example.com/cat.png' },
      ]),
    ],
    arrives: ['What is it-1'],
  },
  'with an image that a tool returned (Q20)': {
    messages: [
      user('Draw'),
      assistant(call('c1')),
      result('c1', [
        { type: 'text', text: 'Here-1' },
        { type: 'image', base64: png, mediaType: 'image/png' },
      ]),
      user('Nice-2'),
    ],
    tools: [weather],
    arrives: ['Here-1', 'Nice-2', png],
  },
  'with images that parallel calls returned (Q20, Q33, Q59)': {
    messages: [
      user('Draw'),
      assistant(call('c1'), call('c2')),
      result('c1', [{ type: 'image', base64: png, mediaType: 'image/png' }]),
      result('c2', [{ type: 'image', base64: png, mediaType: 'image/png' }]),
    ],
    tools: [weather],
    arrives: [png],
  },
  'with a PDF': {
    messages: [
      user([
        { type: 'text', text: 'Read-1' },
        { type: 'file', base64: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
      ]),
    ],
    arrives: ['Read-1'],
  },
  'with a file by its URL': {
    messages: [
      user([
        { type: 'text', text: 'Read-1' },
        { type: 'file', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
      ]),
    ],
    arrives: ['Read-1'],
  },
  'with a file of an unusual type': {
    messages: [
      user([
        { type: 'text', text: 'Read-1' },
        { type: 'file', base64: 'AAAA', mediaType: 'application/x-unknown', name: 'a.bin' },
      ]),
    ],
    arrives: ['Read-1'],
  },
  'with a text file that few models take': {
    messages: [user([{ type: 'file', base64: btoa('Inside-1'), mediaType: 'text/csv', name: 'a.csv' }])],
  },
  'with a PDF in a data URL': {
    messages: [
      user([
        { type: 'text', text: 'Read-1' },
        { type: 'file', url: `data:application/pdf;base64,${pdf}`, mediaType: 'application/pdf' },
      ]),
    ],
    arrives: ['Read-1'],
  },
  'with an image in a data URL': {
    messages: [user([{ type: 'image', url: `data:image/png;base64,${png}` }])],
    arrives: [png],
  },
  'with an image whose type is vague or wrong': {
    messages: [
      user([
        { type: 'image', base64: png, mediaType: 'image/*' },
        { type: 'image', base64: png, mediaType: 'image/jpeg' },
      ]),
    ],
    arrives: [png],
  },
  'with images that no model reads': {
    messages: [
      user([
        { type: 'text', text: 'Look-1' },
        { type: 'image', base64: btoa('<svg/>'), mediaType: 'image/svg+xml' },
        { type: 'image', url: 'file:///etc/passwd' },
        { type: 'image', base64: '' },
        { type: 'image', base64: 'no base64!' },
      ]),
    ],
    arrives: ['Look-1'],
  },
  'with a failure without a message': {
    messages: [
      user('Hello'),
      assistant(call('c1')),
      { role: 'tool', callId: 'c1', name: 'weather', content: '', isError: true },
    ],
    tools: [weather],
    arrives: ['The call failed.'],
  },
  'with a text file': {
    messages: [
      user([
        { type: 'text', text: 'Read-1' },
        { type: 'file', base64: Buffer.from('Inside-2').toString('base64'), mediaType: 'text/plain', name: 'a.txt' },
      ]),
    ],
    arrives: ['Read-1'],
  },
}
