import type { ImagePart, JSONValue, TextPart } from '../data/message.ts'

/** A tool call of a step, and its result. */
export type PatternCall = {
  name: string
  input: JSONValue
  result: string | (TextPart | ImagePart)[]
  isError?: true
  /** Why the call never reaches its tool, so that the loop creates its result; `result` then only resembles it. */
  rejected?: 'unknown-tool' | 'invalid-json' | 'schema'
  /** The text that the model wrote, when it is invalid JSON. */
  inputText?: string
}

/** The model's answer to one request. Without calls and text it is an empty answer. */
export type PatternStep = {
  calls: readonly PatternCall[]
  text?: string
  /** The indexes of the calls, in the order in which they finish; in call order when absent. */
  finishOrder?: readonly number[]
}

/** A script of steps; `toldAt` and `stoppedAt` are numbers of model calls, from 1. */
export type StepPattern = { name: string; steps: readonly PatternStep[]; toldAt: readonly number[]; stoppedAt?: number }

/** Steps that a model would repeat for ever, with the one at which the run ends. */
export const pathologies: readonly (StepPattern & { stoppedAt: number })[] = [
  stuck('the same call with the same result', [step(call('status', {}, 'pending'))], 4, 6),
  stuck(
    'the same call with its keys in another order',
    [
      step(call('search', { query: 'tea', filter: { from: 1, to: [2, { a: 1, b: 2 }] } }, 'none')),
      step(call('search', { filter: { to: [2, { b: 2, a: 1 }], from: 1 }, query: 'tea' }, 'none')),
    ],
    4,
    6,
  ),
  stuck('the same failing call', [step(failing('fetch', { url: '/a' }, 'The server is down.'))], 4, 6),
  stuck(
    'a tool that there is not',
    [step({ ...failing('browse', { url: '/a' }, 'There is no tool named "browse".'), rejected: 'unknown-tool' })],
    4,
    6,
  ),
  stuck(
    'arguments that are no JSON',
    [
      step({
        ...failing('write', {}, 'The arguments are not valid JSON.'),
        rejected: 'invalid-json',
        inputText: '{"text": "a',
      }),
    ],
    4,
    6,
  ),
  stuck(
    'arguments that do not fit the schema',
    [step({ ...failing('write', { path: 1 }, 'The arguments do not fit the schema.'), rejected: 'schema' })],
    4,
    6,
  ),
  stuck('two calls in turn', [step(call('read', { path: 'a' }, 'x')), step(call('list', {}, 'a b'))], 8, 12),
  stuck(
    'one tool with two inputs in turn',
    [step(call('read', { path: 'a' }, 'x')), step(call('read', { path: 'b' }, 'x'))],
    8,
    12,
  ),
  stuck(
    'a failing and a working call in turn',
    [step(failing('save', { path: 'a' }, 'read-only')), step(call('unlock', { path: 'a' }, 'ok'))],
    8,
    12,
  ),
  stuck('a cycle of three', [step(call('a', {}, '1')), step(call('b', {}, '2')), step(call('c', {}, '3'))], 12, 18),
  stuck(
    'a cycle of three with one call twice',
    [step(call('a', {}, '1')), step(call('a', {}, '1')), step(call('b', {}, '2'))],
    12,
    18,
  ),
  stuck('a cycle of four', [1, 2, 3, 4].map((path) => step(call('read', { path }, 'x'))), 16, 24),
  stuck(
    'a parallel pair, called in either order',
    [
      step(call('read', { path: 'a' }, 'x'), call('read', { path: 'b' }, 'y')),
      step(call('read', { path: 'b' }, 'y'), call('read', { path: 'a' }, 'x')),
    ],
    4,
    6,
  ),
  stuck(
    'a parallel pair that finishes in either order',
    [
      step(call('read', { path: 'a' }, 'x'), call('read', { path: 'b' }, 'y')),
      { ...step(call('read', { path: 'a' }, 'x'), call('read', { path: 'b' }, 'y')), finishOrder: [1, 0] },
    ],
    4,
    6,
  ),
  stuck(
    'the same call in bursts of different size',
    [1, 3, 2, 5].map((size) => step(...times(size, () => call('status', {}, 'pending')))),
    4,
    6,
  ),
  stuck(
    'the same call with other words around it',
    times(60, (index) => ({ ...step(call('status', {}, 'pending')), text: `Let me look once more (${index}).` })),
    4,
    6,
  ),
  stuck('the same call that finds nothing', [step(call('search', { query: 'tea' }, 'no result'))], 4, 6),
  stuck('the same picture', [step(call('screenshot', {}, [image('AAAA')]))], 4, 6),
  stuck('the same long result', [step(call('read', { path: 'a' }, longText('a')))], 4, 6),
  stuck('empty answers', [empty()], 4, 6),
  stuck('an empty answer after each of the same calls', [step(call('status', {}, 'pending')), empty()], 7, 11),
  stuck('an empty answer before each of the same calls', [empty(), step(call('status', {}, 'pending'))], 8, 12),
  stuck(
    'empty answers between two calls in turn',
    [step(call('read', { path: 'a' }, 'x')), empty(), step(call('list', {}, 'a')), empty()],
    // The first of them is ignored: the step after it was new.
    10,
    14,
  ),
  stuck('two empty answers after each of the same calls', [step(call('status', {}, 'x')), empty(), empty()], 6, 9),
  {
    name: 'the same call after good work',
    steps: [
      ...times(5, (page) => step(call('read', { page }, `page ${page}`))),
      ...times(60, () => step(call('read', { page: 5 }, 'page 5'))),
    ],
    toldAt: [9],
    stoppedAt: 11,
  },
  {
    name: 'the same call again after another one',
    steps: [
      ...times(5, () => step(call('status', {}, 'pending'))),
      step(call('list', {}, 'a')),
      ...times(60, () => step(call('status', {}, 'pending'))),
    ],
    toldAt: [4, 10],
    stoppedAt: 12,
  },
  {
    name: 'two calls in turn after one alone',
    steps: [
      ...times(4, () => step(call('a', {}, '1'))),
      ...times(30, () => [step(call('b', {}, '2')), step(call('a', {}, '1'))]).flat(),
    ],
    // The last of the first four is the start of the pairs.
    toldAt: [4, 11],
    stoppedAt: 15,
  },
  {
    name: 'empty answers after a note about a call',
    steps: [...times(4, () => step(call('a', {}, '1'))), ...times(60, empty)],
    toldAt: [4, 8],
    stoppedAt: 10,
  },
]

/** Steps that make progress, or repeat little: never stopped. */
export const healthyPatterns: readonly StepPattern[] = [
  healthy('one call', [step(call('read', { path: 'a' }, 'x'))]),
  healthy(
    'the same call thrice',
    times(3, () => step(call('read', { path: 'a' }, 'x'))),
  ),
  healthy(
    'the same call five times, and then an answer',
    times(5, () => step(call('status', {}, 'pending'))),
    [4],
  ),
  healthy(
    'polling while the percentage changes',
    times(30, (index) => step(call('status', { job: 7 }, `${index} %`))),
  ),
  healthy(
    'polling where each state lasts three polls',
    ['queued', 'building', 'testing', 'deploying', 'done'].flatMap((state) =>
      times(3, () => step(call('status', {}, state))),
    ),
  ),
  healthy(
    'polling where each state lasts five polls',
    ['queued', 'running', 'done'].flatMap((state) => times(5, () => step(call('status', {}, state)))),
    [4, 9, 14],
  ),
  healthy(
    'polling something that goes up and down',
    times(30, (index) => step(call('ping', {}, index % 2 === 0 ? 'up' : 'down'))),
  ),
  healthy(
    'polling something that goes round three states',
    times(30, (index) => step(call('light', {}, ['red', 'green', 'amber'][index % 3] ?? ''))),
  ),
  healthy(
    'polling by one call and waiting by another',
    times(15, (index) => [step(call('status', {}, `${index} %`)), step(call('wait', { seconds: 5 }, 'done'))]).flat(),
  ),
  healthy(
    'polling something that goes up and down, and waiting',
    times(15, (index) => [
      step(call('ping', {}, index % 2 === 0 ? 'up' : 'down')),
      step(call('wait', { seconds: 5 }, 'done')),
    ]).flat(),
  ),
  healthy(
    'polling that fails in another way each time',
    times(12, (index) => step(failing('connect', {}, `Refused (request ${index}).`))),
  ),
  healthy(
    'polling that fails and works in turn',
    times(14, (index) => step(index % 2 === 0 ? failing('connect', {}, 'busy') : call('connect', {}, 'busy'))),
  ),
  healthy(
    'a clock',
    times(12, (index) => step(call('now', {}, `12:00:${index}`))),
  ),
  healthy(
    'a die',
    [3, 3, 1, 6, 6, 6, 2, 5, 2, 5, 2, 4].map((face) => step(call('roll', {}, String(face)))),
  ),
  healthy(
    'pages by their number',
    times(20, (page) => step(call('list', { page }, `page ${page}`))),
  ),
  healthy(
    'pages by one call without arguments',
    times(20, (page) => step(call('next_page', {}, `page ${page}`))),
  ),
  healthy(
    'different inputs with the same result',
    times(20, (row) => step(call('save', { row }, 'ok'))),
  ),
  healthy(
    'different inputs with the same error',
    times(12, (index) => step(failing('read', { path: `${index}.txt` }, 'not found'))),
  ),
  healthy(
    'different tools with the same input and result',
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => step(call(name, {}, 'ok'))),
  ),
  healthy(
    'inputs that only look alike',
    [1, '1', [1], { '0': 1 }, true, null, 'true', [[1]], [1, 1], {}, []].map((id) => step(call('find', { id }, 'ok'))),
  ),
  healthy(
    'lists in another order',
    [
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ].map((ids) => step(call('move', { ids }, 'ok'))),
  ),
  healthy(
    'reading a file again after each edit',
    times(10, (index) => [
      step(call('read', { path: 'a' }, `version ${index}`)),
      step(call('edit', { path: 'a', line: index }, 'ok')),
    ]).flat(),
  ),
  healthy(
    'the same edit command while the file changes',
    times(10, (index) => [step(call('read', { path: 'a' }, `version ${index}`)), step(call('undo', {}, 'ok'))]).flat(),
  ),
  healthy(
    'tests that fail alike after different edits',
    times(10, (index) => [step(call('edit', { line: index }, 'ok')), step(failing('test', {}, '1 failed'))]).flat(),
  ),
  healthy('a transient error, then success', [
    step(failing('fetch', { url: '/a' }, 'Try again.')),
    step(call('fetch', { url: '/a' }, 'a')),
  ]),
  healthy(
    'three transient errors for each of five pages',
    times(5, (page) => [
      ...times(3, () => step(failing('fetch', { page }, 'Try again.'))),
      step(call('fetch', { page }, `page ${page}`)),
    ]).flat(),
  ),
  healthy('the same call eight times in one step', [step(...times(8, () => call('ask', { of: 'all' }, 'yes')))]),
  healthy(
    'the same call five times in each of three steps',
    times(3, () => step(...times(5, () => call('ask', { of: 'all' }, 'yes')))),
  ),
  healthy(
    'parallel calls of which one stays the same',
    times(12, (page) => step(call('status', {}, 'ok'), call('read', { page }, 'x'))),
  ),
  healthy(
    'parallel calls of which one result changes, in any order',
    times(12, (index) => ({
      ...step(call('status', { job: 1 }, 'running'), call('status', { job: 2 }, `${index} %`)),
      finishOrder: index % 2 === 0 ? [0, 1] : [1, 0],
    })),
  ),
  healthy(
    'two tools in turn over different inputs',
    times(12, (index) => [
      step(call('read', { path: index }, 'text')),
      step(call('summarise', { path: index }, 'ok')),
    ]).flat(),
  ),
  healthy(
    'two calls in turn, three times',
    times(3, () => [step(call('read', { path: 'a' }, 'x')), step(call('list', {}, 'a'))]).flat(),
  ),
  healthy(
    'two calls in turn, five times',
    times(5, () => [step(call('read', { path: 'a' }, 'x')), step(call('list', {}, 'a'))]).flat(),
    [8],
  ),
  healthy(
    'the same question again and again, with other work in between',
    times(12, (index) => [
      step(call('ask', { of: 'the plan' }, 'step by step')),
      step(call('read', { path: index }, 'x')),
      step(call('note', { text: `page ${index}` }, 'ok')),
    ]).flat(),
  ),
  healthy(
    'a queue that is empty now and then',
    ['job 1', 'empty', 'empty', 'job 2', 'empty', 'empty', 'empty', 'job 3', 'empty', 'empty'].map((job) =>
      step(call('take', {}, job)),
    ),
  ),
  healthy(
    'long results that differ in their last letter',
    [...'abcdefgh'].map((letter) => step(call('read', {}, longText(letter)))),
  ),
  healthy(
    'pictures that differ',
    times(10, (index) => step(call('screenshot', {}, [{ type: 'text', text: 'now' }, image(`AAA${index}`)]))),
  ),
  healthy('tools that there are not, then one that there is', [
    ...times(3, () =>
      step({ ...failing('browse', {}, 'There is no tool named "browse".'), rejected: 'unknown-tool' as const }),
    ),
    step(call('fetch', {}, 'a')),
  ]),
  healthy('arguments that are sent again until they fit', [
    ...times(
      2,
      (index): PatternStep =>
        step({
          ...failing('write', {}, 'The arguments are not valid JSON.'),
          rejected: 'invalid-json',
          inputText: '{'.repeat(index + 1),
        }),
    ),
    ...times(
      2,
      (path): PatternStep =>
        step({ ...failing('write', { path }, 'The arguments do not fit the schema.'), rejected: 'schema' }),
    ),
    step(call('save', { path: 'a' }, 'ok')),
  ]),
  healthy('three empty answers', times(3, empty)),
  healthy('five empty answers', times(5, empty), [4]),
  healthy(
    'an empty answer after each page',
    times(15, (page) => [step(call('read', { page }, `page ${page}`)), empty()]).flat(),
  ),
  healthy(
    'an empty answer after each poll with a new result',
    times(15, (index) => [empty(), step(call('status', {}, `${index} %`))]).flat(),
  ),
]

function stuck(name: string, cycle: readonly PatternStep[], toldAt: number, stoppedAt: number) {
  const steps = times(Math.ceil(60 / cycle.length), () => cycle).flat()
  return { name, steps, toldAt: [toldAt], stoppedAt }
}

function healthy(name: string, steps: readonly PatternStep[], toldAt: readonly number[] = []): StepPattern {
  return { name, steps, toldAt }
}

function step(...calls: PatternCall[]): PatternStep {
  return { calls }
}

function empty(): PatternStep {
  return { calls: [] }
}

function call(name: string, input: JSONValue, result: PatternCall['result']): PatternCall {
  return { name, input, result }
}

function failing(name: string, input: JSONValue, result: string): PatternCall {
  return { name, input, result, isError: true }
}

function image(base64: string): ImagePart {
  return { type: 'image', base64, mediaType: 'image/png' }
}

/** Longer than a result that is sent whole. */
function longText(end: string): string {
  return 'x'.repeat(300_000) + end
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
