import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedModel } from '@agentkit/testing'
import { estimateRequest, estimateText } from '../../tokens/estimate-tokens.ts'
import type { Model, ModelEvent, ModelInfo, ModelRequest, Price } from '../../contracts/model.ts'
import type { Usage } from '../../data/usage.ts'
import { anyAnswer, type Mood } from './any-answer.ts'
import type { Random } from '../random.ts'
import { watchedModel } from './watched.ts'
import { longestAnswer } from './witness.ts'

export const price: Price = { inputUsdPerMillion: 1, outputUsdPerMillion: 4, asOf: '2026-01-01' }

/** A model with random answers, which sometimes violates the contract of `Model`. */
export function anyModel(random: Random, number: number, nextId: () => string): Model {
  const mood = random.pick<Mood>(['any', 'any', 'any', 'any', 'any', 'any', 'stuck', 'silent', 'down'])
  const info = anyInfo(random)
  const answers = random.fork()
  const script = scriptedModel(
    Array.from({ length: 1_000 }, () => (request: ModelRequest) => {
      const longest = Math.max(10, Math.min(request.maxOutputTokens ?? longestAnswer(model), 1_500) - 150)
      return anyAnswer(answers, request, mood, nextId, longest)
    }),
    { id: `test/${number}` },
  )
  const faults = random.fork()
  const isLate = random.oneIn(6)
  const model: Model & { info?: ModelInfo } = {
    id: script.id,
    ...(isLate ? {} : { info }),
    ...(isLate && { load: () => sleep(1).then(() => void Object.assign(model, { info })) }),
    async *stream(request, signal) {
      const fault = faults.oneIn(25) ? faults.pick<Fault>(['never begins', 'no end', 'continues after finish']) : undefined
      if (fault === 'never begins') await new Promise(() => {})
      for await (const event of script.stream(request, signal)) {
        if (event.type === 'tool-input-delta') yield* anyDraft(faults, event)
        else if (event.type !== 'finish') yield event
        else if (fault !== 'no end') yield { ...event, usage: anyUsage(faults, event, request, info) }
        if (event.type === 'finish' && fault === 'continues after finish') yield { type: 'text-delta', text: 'And another thing.' }
      }
    },
  }
  return watchedModel(model)
}

type Fault = 'never begins' | 'no end' | 'continues after finish'
type Finish = Extract<ModelEvent, { type: 'finish' }>

/** A piece of an answer, which some models lose, repeat, or give to no call. */
function anyDraft(random: Random, event: Extract<ModelEvent, { type: 'tool-input-delta' }>): ModelEvent[] {
  if (!random.oneIn(12)) return [event]
  return random.pick([[], [event, event], [{ ...event, callId: 'none' }], [{ ...event, text: `${event.text}"` }]])
}

function anyInfo(random: Random): ModelInfo {
  const window = random.pick([undefined, undefined, 3_500, 6_000, 20_000])
  const longest = random.pick([undefined, 600, 2_000])
  return {
    price,
    nativeOutput: random.pick(['always', 'without-tools', 'never']),
    ...(window !== undefined && { contextWindow: window }),
    ...(longest !== undefined && { maxOutputTokens: longest }),
  }
}

/** Slightly less than the estimates, which are upper bounds; or far less. */
function anyUsage(random: Random, { message }: Finish, request: ModelRequest, info: ModelInfo): Usage {
  if (random.oneIn(8)) return random.pick([{}, { outputTokens: 1 }])
  const inputTokens = Math.floor(estimateRequest(request, info) * 0.9)
  const outputTokens = Math.floor(estimateText(message.content.map(textOfPart).join('')) * 0.9)
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function textOfPart(part: Finish['message']['content'][number]): string {
  return part.type === 'tool-call' ? `${part.name} ${part.inputText ?? JSON.stringify(part.input)}` : part.text
}
