import type { ModelRequest } from '@agentkit/core'
import type { ThinkingConfig, ThinkingLevel } from '@google/genai'
import type { GeminiTraits, Level } from './gemini-traits.ts'

type Effort = NonNullable<ModelRequest['reasoning']>

/** How much a model is to think; an effort that it does not take is replaced, with a warning. */
export function thinkingConfig(
  effort: Effort | undefined,
  model: string,
  thinking: GeminiTraits['thinking'],
  warnings: string[],
): ThinkingConfig | undefined {
  if (effort === undefined) return undefined
  if (!thinking) {
    if (effort !== 'none') warnings.push(`"${model}" does not take \`reasoning\`: it was left out.`)
    return undefined
  }
  const sentAs = (sent: string): void =>
    void warnings.push(`"${model}" does not take the effort "${effort}": it was sent as ${sent}.`)
  const thoughts = effort === 'none' ? {} : { includeThoughts: true }
  if (thinking.by === 'budget') {
    if (effort === 'none' && thinking.least > 0) sentAs(`${thinking.least} tokens`)
    return { thinkingBudget: effort === 'none' ? thinking.least : budgets[effort], ...thoughts }
  }
  const level = nearest(effort === 'none' ? 'minimal' : effort, thinking.levels)
  if (level !== effort) sentAs(`"${level}"`)
  // The SDK's enum has these values; its module is not loaded for them.
  return { thinkingLevel: level.toUpperCase() as ThinkingLevel, ...thoughts }
}

/** The tokens that Google equates with these words. */
const budgets = { low: 1024, medium: 8192, high: 24_576 } as const

const order: readonly Level[] = ['minimal', 'low', 'medium', 'high']

/** The nearest level; the higher of two equally near levels. */
function nearest(wanted: Level, levels: readonly Level[]): Level {
  const distance = (level: Level): number => Math.abs(order.indexOf(level) - order.indexOf(wanted))
  return levels.reduce((best, level) => (distance(level) <= distance(best) ? level : best))
}
