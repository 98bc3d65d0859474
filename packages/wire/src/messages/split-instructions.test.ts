import type { Message } from '@agentkit/core'
import { expect, it } from 'vitest'
import { splitInstructions } from './split-instructions.ts'

const system = (content: string): Message => ({ role: 'system', content })
const question: Message = { role: 'user', content: 'hi' }

it.each([
  ['the system messages that stand first', [system('One.'), system('Two.'), question], 'One.\n\nTwo.', [question]],
  ['no blank ones', [system(' '), system('Two\ud800.'), question], 'Two\ufffd.', [question]],
  ['no later ones', [question, system('Late.')], '', [question, system('Late.')]],
  ['all, without other messages', [system('One.')], 'One.', []],
])('accepts %s', (_name, messages, instructions, rest) => {
  expect(splitInstructions(messages)).toEqual({ instructions, rest })
})
