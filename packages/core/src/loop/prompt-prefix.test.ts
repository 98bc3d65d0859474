import { type ScriptedAnswer, type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { type Random, randomOf } from '../__fixtures__/random.ts'
import { Agent } from '../agents/agent.ts'
import type { AgentOptions } from '../agents/agent-options.ts'
import type { Model, ModelRequest } from '../contracts/model.ts'
import type { RunResult } from '../runs/driver/run.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { Swarm } from '../swarm/swarm.ts'
import { tool } from '../tools/define-tool.ts'

const tests = 5
const runsPerTest = 200

/** A model with random answers, and the prompts that it has answered, run by run. */
type Recorded = { model: Model; prompts: ModelRequest[] }

it.each(Array.from({ length: tests }, (_, index) => index * runsPerTest))(
  `begins each request of ${runsPerTest} random runs with the one before, or warns (seeds from %i)`,
  async (from) => {
    const problems: string[] = []
    const seen = { runs: 0, requests: 0, warnings: 0 }
    for (let seed = from; seen.runs < runsPerTest; seed++) await converse(seed, problems, seen)
    expect(problems).toEqual([])
    // The random runs are of use only if they are long, and if some have a reason for a warning.
    expect(seen.requests).toBeGreaterThan(3 * runsPerTest)
    expect(seen.warnings).toBeGreaterThan(runsPerTest / 20)
  },
)

/** Three random runs of one session, some of which wait for an approval and are resumed by another agent object. */
async function converse(
  seed: number,
  problems: string[],
  seen: { runs: number; requests: number; warnings: number },
): Promise<void> {
  const random = randomOf(seed)
  const recorded = Array.from({ length: 2 }, (_, index) => recordedModel(random.fork(), `test/${index}`))
  const sessions = memorySessions()
  const shape = random.fork()
  const build = buildAny(shape, recorded, sessions)
  for (let run = 0; run < 3; run++) {
    for (const { prompts } of recorded) prompts.length = 0
    const warned: string[] = []
    const options = { sessionId: 's', onApproval: 'end' } as const
    let result = await build().stream(`Question ${run}: ${text(random)}`, options).result
    for (let times = 0; result.finishReason === 'approval' && times < 10; times++) {
      const decisions = Object.fromEntries(result.approvals.map(({ approvalId }) => [approvalId, true as const]))
      warned.push(...ofCache(result))
      result = await build().resume(result.runId, decisions, { onApproval: 'end' }).result
    }
    // A resumed run has the warnings of before.
    warned.splice(0, warned.length, ...new Set([...warned, ...ofCache(result)]))
    const breaks = recorded.flatMap(({ prompts }) => breaksIn(prompts))
    if (warned.length !== breaks.length) {
      problems.push(
        `seed ${seed}, run ${run}: ${JSON.stringify({ breaks, warned, end: result.finishReason, error: result.error?.message })}`,
      )
    }
    seen.runs++
    seen.warnings += warned.length
    seen.requests += recorded.reduce((sum, { prompts }) => sum + prompts.length, 0)
    if (result.error && result.finishReason !== 'approval') return
  }
}

type Answering = Pick<Agent<unknown>, 'stream' | 'resume'>

function buildAny(random: Random, [one, two]: Recorded[], sessions: AgentOptions['sessions']): () => Answering {
  const hooks: AgentOptions['hooks'] = {}
  const kind = random.below(4)
  if (kind === 1) {
    const period = 2 + random.below(3)
    let calls = 0
    // A clock in front of the conversation.
    hooks.beforeModel = (request) => {
      const [first, ...rest] = request.messages
      const now = `It is ${Math.floor(calls++ / period)}.`
      return first && { ...request, messages: [{ role: 'system', content: now }, first, ...rest] }
    }
  }
  if (kind === 2)
    hooks.afterModel = (message) => ({
      ...message,
      content: message.content.filter(({ type }) => type !== 'reasoning'),
    })
  if (kind === 3) hooks.afterTool = (outcome) => ({ ...outcome, output: `${String(outcome.output)} (checked)` })
  const shared = {
    functions: [
      tool({ name: 'look', description: 'Looks.', input: anything, execute: () => 'A part. '.repeat(60) }),
      tool({ name: 'read', description: 'Reads.', input: anything, execute: () => 'A line. '.repeat(1_500) }),
      tool({ name: 'pay', description: 'Pays.', input: anything, needsApproval: true, execute: () => 'Paid.' }),
    ],
    instruction: 'You help.',
    maxSteps: 12,
    hooks,
    sessions: sessions as NonNullable<AgentOptions['sessions']>,
    ...(random.oneIn(3) && { output: oneNumber }),
  }
  const first = { ...shared, name: 'One', model: (one as Recorded).model }
  if (!random.oneIn(3)) return () => new Agent<unknown>(first)
  const { sessions: _, ...member } = shared
  return () =>
    new Swarm<unknown>({
      name: 'Both',
      agents: [
        new Agent({ ...member, name: 'One', model: first.model }),
        new Agent({ ...member, name: 'Two', model: (two as Recorded).model }),
      ],
      collaboration: 'handoff',
      maxSteps: 12,
      ...(sessions && { sessions }),
      ...('output' in shared && { output: shared.output }),
    })
}

const anything = { type: 'object', properties: { n: { type: 'integer' } } }
const oneNumber = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
}

function recordedModel(random: Random, id: string): Recorded {
  const prompts: ModelRequest[] = []
  // A window that some conversations outgrow, or one that none does; and the final answer by a call, or natively.
  const window = random.pick([4_000, 9_000, 1_000_000])
  const nativeOutput = random.pick(['always', 'without-tools', 'never'] as const)
  const info = { contextWindow: window, maxOutputTokens: 500, nativeOutput }
  let calls = 0
  const model: Model = {
    id,
    info,
    async *stream(request, signal) {
      const copy = structuredClone(request)
      const answer = anyAnswer(random, request, () => `${id}-${++calls}`)
      const isSummary = request.cache === undefined
      for await (const event of scriptedModel([answer], { id, info }).stream(request, signal)) {
        if (event.type === 'finish' && !isSummary) prompts.push(copy)
        yield event
      }
    },
  }
  return { model, prompts }
}

function anyAnswer(random: Random, { tools = [], output, cache }: ModelRequest, nextId: () => string): ScriptedTurn {
  if (cache === undefined) return 'What was said so far, in short.'
  const answer: ScriptedAnswer = random.oneIn(4) ? { reasoning: 'Some thoughts.' } : {}
  // Nothing, which is asked for again.
  if (random.oneIn(12)) return answer
  const names = tools.map(({ name }) => name)
  const final = names.find((name) => name === 'final_answer')
  const isLast = random.oneIn(5)
  if (names.length > 0 && !isLast) {
    const others = names.filter((name) => name !== final)
    const toolCalls = Array.from({ length: 1 + random.below(2) }, () => {
      const name = random.pick(others)
      const input = name === 'read_tool_result' ? { call_id: 'none', offset: 0 } : { n: random.below(1_000) }
      return { callId: nextId(), name, input: name.startsWith('transfer_') ? {} : input }
    })
    return { ...answer, toolCalls }
  }
  const isValid = !random.oneIn(3)
  if (final !== undefined)
    return { ...answer, toolCalls: [{ callId: nextId(), name: final, input: { n: isValid ? 1 : 'one' } }] }
  return { ...answer, text: output ? (isValid ? '{"n":1}' : 'No number.') : text(random) }
}

function text(random: Random): string {
  return 'Some words. '.repeat(1 + random.below(40))
}

/** Where a prompt does not begin with the one before: as a model reads it, tools first. */
function breaksIn(prompts: readonly ModelRequest[]): number[] {
  const read = prompts.map(({ tools, output, messages }) => {
    return [tools ?? [], output ?? null, ...messages].map((part) => JSON.stringify(part))
  })
  return read.flatMap((prompt, index) => {
    const before = read[index - 1] ?? []
    return before.every((part, at) => part === prompt[at]) ? [] : [index]
  })
}

function ofCache({ warnings }: RunResult<unknown>): string[] {
  // While a run waits, the warnings of its active member are without the member's name.
  return warnings.flatMap((warning) => /Step \d+: .* were read again\.$/.exec(warning)?.[0] ?? [])
}
