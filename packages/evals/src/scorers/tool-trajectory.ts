import type { AgentEvent } from '@agentkit/core'
import { checkOptions, invalidArgument, isOneOf, isText } from '@agentkit/core/internal'
import type { Scorer } from '../data/scorer.ts'
import { cut, expectedOf } from './text-scorers.ts'

/** How the calls of a run are compared with the expected ones. */
export type ToolTrajectoryOptions = {
  order?: 'exact' | 'in-order' | 'any-order'
  /** The key of `expected` that has the names, where other scorers need others. */
  field?: string
}

/**
 * Whether the run called the expected tools: `expected` is the list of their names, or, from a CSV file, a text with
 * commas. `[]` expects none in order `exact`. Calls of members count too, in the order in which they were made.
 *
 * @param options.order `"exact"`: these calls and no others; `"in-order"`, the default: these calls in this order, others may
 *   be between; `"any-order"`: these calls, each as often as it is listed, and others
 * @throws AgentKitError `invalid-argument` for an unknown order
 * @example
 * const cases = [{ input: 'Refund order 7.', expected: ['find_order', 'refund'] }]
 * await evaluate({ agent, cases, scorers: [toolTrajectory({ order: 'in-order' })] })
 */
export function toolTrajectory(options: ToolTrajectoryOptions = {}): Scorer {
  checkOptions(options, { order: isOneOf(['exact', 'in-order', 'any-order']), field: isText }, { of: 'toolTrajectory' })
  const { order = 'in-order', field } = options
  return {
    name: 'toolTrajectory',
    version: JSON.stringify([order, field]),
    score(run) {
      const expected = namesOf(expectedOf(run, 'toolTrajectory', field))
      const called = calledTools(run.events)
      if (holds[order](expected, called)) return 1
      return { score: 0, reason: `expected ${listOf(expected)}, called ${listOf(called)}` }
    },
  }
}

function namesOf(expected: unknown): string[] {
  const names = typeof expected === 'string' ? expected.split(',').map((name) => name.trim()) : expected
  if (Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '')) return names
  throw invalidArgument('`toolTrajectory` needs `expected`: a list of names of tools.')
}

/** The names of the tools that were called, in order, without the calls of attempts that were tried again. */
export function calledTools(events: readonly AgentEvent[]): string[] {
  let calls: { name: string; path: string; isOpen: boolean }[] = []
  for (const event of events) {
    const path = event.path.join('/')
    if (event.type === 'tool-call') calls.push({ name: event.name, path, isOpen: true })
    else if (event.type === 'step-restart') calls = calls.filter((call) => !call.isOpen || call.path !== path)
    else if (event.type === 'step-start' || event.type === 'tool-result') {
      for (const call of calls) if (call.path === path) call.isOpen = false
    }
  }
  return calls.map(({ name }) => name)
}

const holds: Record<
  NonNullable<ToolTrajectoryOptions['order']>,
  (expected: readonly string[], called: readonly string[]) => boolean
> = {
  exact: (expected, called) =>
    expected.length === called.length && expected.every((name, index) => name === called[index]),
  'in-order': (expected, called) => {
    let next = 0
    for (const name of called) if (name === expected[next]) next++
    return next === expected.length
  },
  'any-order': (expected, called) => {
    const count = (names: readonly string[], name: string): number => names.filter((one) => one === name).length
    return expected.every((name) => count(called, name) >= count(expected, name))
  },
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : cut(names.join(', '))
}
