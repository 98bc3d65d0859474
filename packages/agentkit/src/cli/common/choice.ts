import { nearestWord } from '@agentkit/core/internal'
import { Option } from 'commander'
import { UsageError } from './usage-error.ts'

/** An option that takes one of some words. Any other is a usage error with the most similar one. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  const option = new Option(flags, description).choices(words)
  const name = option.long ?? flags
  return option.argParser((value) => oneOf(name, value, words))
}

/** @throws UsageError with the most similar word, and all of them */
export function oneOf(name: string, value: string, words: readonly string[]): string {
  if (words.includes(value)) return value
  const nearest = nearestWord(value, words)
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  throw new UsageError(`${name} is one of ${words.join(', ')}, not ${JSON.stringify(value.slice(0, 40))}.${hint}`)
}
