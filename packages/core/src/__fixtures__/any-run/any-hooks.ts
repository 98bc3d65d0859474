import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError } from '../../data/errors.ts'
import type { Block, Hooks } from '../../policies/hooks.ts'
import type { Random } from '../random.ts'
import { otherQuestions } from './witness.ts'

/** Random hooks: each usually returns nothing, and sometimes changes the value, blocks it or throws. */
export function anyHooks(random: Random): Hooks {
  const hook = <Value>(change: (value: Value) => Value): ((value: Value) => Promise<Value | Block | undefined>) => {
    return async (value) => {
      if (random.oneIn(6)) await sleep(1)
      if (random.oneIn(4)) return change(value)
      if (random.oneIn(15)) return { block: 'Not today.' }
      if (random.oneIn(40)) throw random.pick([new Error('A hook broke.'), new AgentKitError('unsupported', 'No.')])
      return undefined
    }
  }
  const all: Required<Hooks> = {
    input: hook((message) => ({ ...message, content: otherQuestions.hook })),
    beforeModel: hook((request) => ({ ...request, temperature: 0 })),
    afterModel: hook((message) => {
      const dropped = random.pick(['text', 'tool-call', 'reasoning'])
      return { ...message, content: message.content.filter(({ type }) => type !== dropped) }
    }),
    beforeTool: hook((call) => ({ ...call, input: random.pick<unknown>([{ n: 2 }, { n: 'two' }, call.input]) })),
    afterTool: hook((outcome) => ({ ...outcome, output: random.pick<unknown>(['Changed.', undefined, { n: 1 }]) })),
    output: hook(({ text }) => ({ text: `${text} (checked)` })),
  }
  return Object.fromEntries(Object.entries(all).filter(() => random.oneIn(4)))
}
