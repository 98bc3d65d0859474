import { describe, expect, it } from 'vitest'
import { healthyPatterns, type PatternCall, type PatternStep, pathologies } from '../__fixtures__/step-patterns.ts'
import { isAgentKitError } from '../data/errors.ts'
import { checkGuardOptions, createLoopDetector, type GuardOptions, type LoopDetector } from './loop-detection.ts'

const status: PatternStep = { calls: [{ name: 'status', input: {}, result: 'pending' }] }
const list: PatternStep = { calls: [{ name: 'list', input: {}, result: 'a' }] }
const empty: PatternStep = { calls: [] }

describe('a run that goes round in circles', () => {
  it.each(pathologies)('is warned of $name at $toldAt, and stopped at $stoppedAt', ({ steps, toldAt, stoppedAt }) => {
    expect(play(steps)).toMatchObject({ toldAt, stoppedAt })
  })

  it('is tested with at least 12 patterns', () => {
    expect(pathologies.length).toBeGreaterThanOrEqual(12)
  })
})

describe('a run that makes progress', () => {
  it.each(healthyPatterns)('is not stopped by $name', ({ steps, toldAt }) => {
    expect(play(steps)).toMatchObject({ toldAt, stoppedAt: undefined })
  })

  it('is tested with at least 40 patterns', () => {
    expect(healthyPatterns.length).toBeGreaterThanOrEqual(40)
  })
})

describe('the notes for the model and the reasons for people', () => {
  it('names the call, how often it came and when the run ends', () => {
    const { notes, stalled } = play(repeat(6, status))
    expect(notes).toEqual([
      '[You have called "status" 4 times in a row with the same input, and got the same result each time. ' +
        'Do something else, or answer with what you know: the run ends at 6 times.]',
    ])
    expect(stalled).toBe(
      'The model called "status" 6 times in a row with the same input, and got the same result each time.',
    )
  })

  it('has the steps of a cycle in order, with the calls of each', () => {
    const both: PatternStep = { calls: [...status.calls, ...list.calls, ...list.calls] }
    const { notes, stalled } = play(repeat(6, status, both))
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain('[You have called "status" then "list" and "status" 4 times in a row')
    expect(stalled).toContain('The model called "status" then "list" and "status" 6 times in a row')
  })

  it('has only some of many tools, and the start of a long name', () => {
    const names = ['a'.repeat(500), 'b', 'c', 'd', 'e', 'f']
    const { notes } = play(repeat(4, { calls: names.map((name) => ({ name, input: {}, result: 'ok' })) }))
    expect(notes[0]).toContain(`called "${'a'.repeat(64)}" and "b" and "c" and "d" and 2 more 4 times`)
  })

  it('counts empty answers', () => {
    const { notes, stalled } = play(repeat(6, empty))
    expect(notes).toEqual(['[You have given 4 empty answers. Answer in words, or call a tool: the run ends at 6.]'])
    expect(stalled).toBe('The model gave 6 empty answers.')
  })

  it('is appended to the last result of the step', () => {
    const guard = createLoopDetector({ tellAt: 2, stopAt: 3 })
    const notes = repeat(2, 0).map(() => {
      guard.beginStep(2)
      return ['a', 'b'].map((name) => guard.addResult({ name, input: {} }, { content: 'x', isError: false }))
    })
    expect(notes).toEqual([
      [undefined, undefined],
      [undefined, expect.stringContaining('2 times in a row')],
    ])
  })

  it('is warned again of a repetition that begins after progress', () => {
    expect(play([...repeat(5, status), list, ...repeat(5, status)]).toldAt).toEqual([4, 10])
  })

  it('is warned once of calls with empty answers between them', () => {
    expect(play(repeat(6, empty, status)).toldAt).toEqual([8])
  })
})

describe('the same call', () => {
  const twice = (first: PatternStep['calls'][number], second: PatternStep['calls'][number]): boolean =>
    play([{ calls: [first] }, { calls: [second] }], { tellAt: 2, stopAt: 3 }).toldAt.length > 0
  const call = { name: 'find', input: { a: 1 }, result: 'ok' }

  it.each<[string, Partial<PatternStep['calls'][number]>, boolean]>([
    ['nothing', {}, true],
    ['its name', { name: 'search' }, false],
    ['a value of its input', { input: { a: 2 } }, false],
    ['a key of its input', { input: { b: 1 } }, false],
    ['one more key', { input: { a: 1, b: undefined as never } }, false],
    ['the type of a value', { input: { a: '1' } }, false],
    ['a list in place of a value', { input: { a: [1] } }, false],
    ['an input that is null', { input: null }, false],
    ['its result', { result: 'no' }, false],
    ['the kind of its result', { result: [{ type: 'text', text: 'ok' }] }, false],
    ['that it failed', { isError: true }, false],
    ['that its input is not JSON', { inputText: '{' }, false],
  ])('may differ in %s: %o is equal: %s', (_what, change, same) => {
    expect(twice(call, { ...call, ...change })).toBe(same)
  })

  it('may have its keys in any order, including `__proto__`', () => {
    const input = (text: string) => ({ ...call, input: JSON.parse(text) })
    expect(twice(input('{"__proto__":1,"a":[{"b":1,"c":2}]}'), input('{"a":[{"c":2,"b":1}],"__proto__":1}'))).toBe(true)
    expect(twice(input('{"__proto__":1}'), input('{"__proto__":2}'))).toBe(false)
    expect(twice(input('{"a":[1]}'), input('{"a":{"0":1}}'))).toBe(false)
  })

  it('may be nested deeper than the stack allows', () => {
    const input = (leaf: number) => ({
      ...call,
      input: JSON.parse(`${'['.repeat(50_000)}${leaf}${']'.repeat(50_000)}`),
    })
    expect(twice(input(1), input(1))).toBe(true)
    expect(twice(input(1), input(2))).toBe(false)
  })

  it('has the same result where only the mark of the cut differs', () => {
    const warned = (...wholes: string[]): boolean => {
      const guard = createLoopDetector({ tellAt: 2, stopAt: 3 })
      const notes = wholes.map((whole, index) => {
        guard.beginStep(1)
        const content = `Once [cut: to read on, use call_${index}]`
        return guard.addResult({ name: 'read', input: {} }, { content, isError: false, whole })
      })
      return notes.at(-1) !== undefined
    }
    expect([warned('Once upon', 'Once upon'), warned('Once upon', 'Once more')]).toEqual([true, false])
  })

  it('is another one when arguments that are invalid JSON differ', () => {
    expect(twice({ ...call, inputText: '{' }, { ...call, inputText: '{' })).toBe(true)
    expect(twice({ ...call, inputText: '{' }, { ...call, inputText: '{"' })).toBe(false)
  })
})

describe('a step', () => {
  const calls = (...names: string[]): PatternStep => ({
    calls: names.map((name) => ({ name, input: {}, result: 'ok' })),
  })

  it.each([
    ['its calls in another order', calls('a', 'b'), calls('b', 'a'), true],
    ['a call more often', calls('a'), calls('a', 'a', 'a'), true],
    ['a call less often', calls('a', 'b', 'b'), calls('a', 'b'), true],
    ['one call more', calls('a'), calls('a', 'b'), false],
    ['one call less', calls('a', 'b'), calls('b'), false],
  ])('with %s is equal: %s', (_what, first, second, same) => {
    expect(play([first, second], { tellAt: 2, stopAt: 3 }).toldAt).toEqual(same ? [2] : [])
  })

  it.each([
    ['a key', [{}, { a: 1 }], [{}, { b: 1 }]],
    ['one key more', [{ a: 1 }, { a: 1, b: 1 }], [{ a: 1 }, { a: 1, b: 1, c: 1 }]],
    [
      'a key that every object seems to have',
      [JSON.parse('{"__proto__":{}}')],
      [JSON.parse('{"__proto__":{}}'), { a: {} }],
    ],
  ])('with calls that differ in %s is different', (_what, first, second) => {
    const withInputs = (inputs: PatternCall['input'][]): PatternStep => ({
      calls: inputs.map((input) => ({ name: 'find', input, result: 'ok' })),
    })
    expect(play([withInputs(first), withInputs(second)], { tellAt: 2, stopAt: 3 }).toldAt).toEqual([])
    expect(play([withInputs(second), withInputs(first)], { tellAt: 2, stopAt: 3 }).toldAt).toEqual([])
  })

  it('has one call when their number is not given', () => {
    const guard = createLoopDetector({ tellAt: 2, stopAt: 3 })
    const finish = (name: string) => guard.addResult({ name, input: {} }, { content: 'ok', isError: false })
    expect(['a', 'b', 'b'].map(finish)).toEqual([undefined, undefined, expect.stringContaining('"b" 2 times')])
  })

  it('that was aborted is ignored', () => {
    const guard = createLoopDetector({ tellAt: 2, stopAt: 3 })
    take(status, guard)
    guard.beginStep(2)
    guard.addResult({ name: 'list', input: {} }, { content: 'a', isError: false })
    expect(take(status, guard)).toHaveLength(1)
  })

  it('is compared as it was, whatever is appended to its result later', () => {
    const guard = createLoopDetector({ tellAt: 2, stopAt: 3 })
    const finish = (): string | undefined => {
      const message = { content: 'pending', isError: false }
      guard.beginStep(1)
      const note = guard.addResult({ name: 'status', input: {} }, message)
      message.content += ` ${note}`
      return note
    }
    expect([finish(), finish() !== undefined, finish()]).toEqual([undefined, true, undefined])
    expect(guard.stalled()).toContain('3 times')
  })
})

describe('a cycle', () => {
  const steps = (...results: string[]): PatternStep[] =>
    results.map((result) => ({ calls: [{ name: result.charAt(0), input: {}, result }] }))

  it('of five steps is not detected', () => {
    expect(play(repeat(12, ...steps('a', 'b', 'c', 'd', 'e')))).toMatchObject({ toldAt: [], stoppedAt: undefined })
  })

  it('starts again after a step that breaks it', () => {
    const pair = steps('a', 'b')
    expect(play([...repeat(5, ...pair), ...steps('c'), ...repeat(5, ...pair)]).stoppedAt).toBeUndefined()
  })

  it.each([
    ['two', steps('a1', 'a2'), undefined],
    ['three', steps('a1', 'a2', 'a3'), undefined],
    ['four, one call', steps('a1', 'a2', 'a3', 'a4'), undefined],
    ['four, two calls in turn', steps('a1', 'b', 'a2', 'b'), undefined],
    ['four, two calls one after the other', steps('a1', 'a2', 'b1', 'b2'), 24],
  ])('in which only results differ is polling (%s)', (_what, cycle, stoppedAt) => {
    expect(play(repeat(10, ...cycle)).stoppedAt).toBe(stoppedAt)
  })

  it('that is longer is detected although it contains a shorter one', () => {
    expect(play(repeat(9, ...steps('b', 'a', 'a')), { tellAt: 2, stopAt: 3 })).toMatchObject({
      toldAt: [3, 6],
      stoppedAt: 9,
    })
  })
})

describe('empty answers', () => {
  it('are reset by an answer with text', () => {
    const steps = [...repeat(3, empty), { ...empty, text: 'Hm.' }, ...repeat(3, empty)]
    expect(play(steps).toldAt).toEqual([])
  })

  it('are reset by a new step', () => {
    expect(play([...repeat(3, empty), status, ...repeat(3, empty)]).toldAt).toEqual([])
  })

  it('are not reset by a repeated step', () => {
    expect(play([status, ...repeat(3, empty), status, empty]).toldAt).toEqual([6])
  })

  it('do not break a cycle', () => {
    expect(play([...repeat(3, status), empty, status]).toldAt).toEqual([5])
  })
})

describe('the thresholds', () => {
  it('can be changed', () => {
    expect(play(repeat(9, status), { tellAt: 2, stopAt: 9 })).toMatchObject({ toldAt: [2], stoppedAt: 9 })
    expect(play(repeat(9, empty), { tellAt: 2, stopAt: 9 })).toMatchObject({ toldAt: [2], stoppedAt: 9 })
    expect(play(repeat(9, status), { stopAt: 5 })).toMatchObject({ toldAt: [4], stoppedAt: 5 })
  })

  it('are disabled with `false`', () => {
    for (const step of [status, empty]) {
      expect(play(repeat(50, step), false)).toMatchObject({ toldAt: [], stoppedAt: undefined })
    }
    expect(createLoopDetector(false)).toBe(createLoopDetector(false))
  })

  it.each([false, {}, { tellAt: 2 }, { stopAt: 5 }, { tellAt: 10, stopAt: 20 }, { tellAt: undefined }])(
    'may be %o',
    (options) => {
      expect(() => checkGuardOptions(options as GuardOptions)).not.toThrow()
    },
  )

  it.each([
    { tellAt: 1 },
    { tellAt: 6 },
    { stopAt: 4 },
    { tellAt: 2.5 },
    { stopAt: Number.POSITIVE_INFINITY },
    { tellAt: '4' },
    { tellAt: 5, stopAt: 5 },
    { stopAt: null },
    null,
    true,
    7,
    'off',
  ])('must not be %o', (options) => {
    const error = thrownBy(() => checkGuardOptions(options as GuardOptions))
    expect(isAgentKitError(error) && error.code).toBe('invalid-argument')
    expect(String(error)).toContain('2 ≤ tellAt < stopAt, or false for none')
  })
})

function thrownBy(action: () => void): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

function repeat<Item>(count: number, ...items: Item[]): Item[] {
  return Array.from({ length: count }, () => items).flat()
}

type Played = { toldAt: number[]; notes: string[]; stoppedAt: number | undefined; stalled: string | undefined }

/** Passes the steps one after the other, as the loop does, until the detector stops the run. */
function play(steps: readonly PatternStep[], options?: GuardOptions | false): Played {
  const guard = createLoopDetector(options)
  const toldAt: number[] = []
  const notes: string[] = []
  for (const [index, step] of steps.entries()) {
    const warned = take(step, guard)
    toldAt.push(...warned.map(() => index + 1))
    notes.push(...warned)
    if (guard.stalled() !== undefined) return { toldAt, notes, stoppedAt: index + 1, stalled: guard.stalled() }
  }
  return { toldAt, notes, stoppedAt: undefined, stalled: undefined }
}

function take(
  { calls, text, finishOrder = calls.map((_, index) => index) }: PatternStep,
  guard: LoopDetector,
): string[] {
  if (calls.length === 0) {
    if (text === undefined) return [guard.addEmptyAnswer()].filter((note) => note !== undefined)
    guard.resetEmptyAnswers()
    return []
  }
  guard.beginStep(calls.length)
  return finishOrder
    .flatMap((index) => calls[index] ?? [])
    .map(({ name, input, inputText, result, isError = false }) =>
      guard.addResult(inputText === undefined ? { name, input } : { name, input: undefined, inputText }, {
        content: result,
        isError,
      }),
    )
    .filter((note) => note !== undefined)
}
