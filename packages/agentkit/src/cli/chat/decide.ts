import { type JSONValue, terminalLine, terminalText } from '@agentkit/core'
import type { Answer, Asked } from './chat-agent.ts'
import type { Prompt } from './prompt.ts'
import { painted } from './view.ts'

/**
 * Asks for the decision on a call: whether it runs, or its result if the caller executes it or its outcome is unknown.
 * @param problem why the last answer was not valid
 * @returns `undefined` when the user leaves, or stops the run
 */
export async function decide(
  asked: Asked,
  { prompt, write }: { prompt: Prompt; write(text: string): Promise<void> },
  signal: AbortSignal,
  problem?: string,
): Promise<Answer | undefined> {
  if (problem === undefined) {
    const input = terminalText(JSON.stringify(asked.input, undefined, 2) ?? '')
    await write(`\n${painted('yellow', terminalLine(titleOf(asked)))}\n${input}\n`)
  } else await write(`${painted('red', terminalLine(problem))}\n`)
  for (;;) {
    const line = await prompt.question(questions[asked.kind], { signal })
    if (line === undefined) return undefined
    const answer = answerOf(line.trim(), asked.kind)
    if (answer) return answer
  }
}

function titleOf({ name, kind, path, startedAt }: Asked): string {
  const who = `${path.length > 1 ? `[${path.at(-1)}] ` : ''}${name}`
  switch (kind) {
    case 'approval':
      return `${who} needs your approval:`
    case 'client-tool':
      return `${who} is yours to do: its result is asked of you.`
    case 'unknown-outcome':
      return `${who} had begun${startedAt === undefined ? '' : ` at ${startedAt}`} when its process ended. Whether it was done is unknown:`
  }
}

const questions: Readonly<Record<Asked['kind'], string>> = {
  approval: 'Run it? [y]es, [n]o, or no and why: ',
  'client-tool': 'Result, as JSON or text; [n]o, or no and why: ',
  'unknown-outcome': 'Run it again? [y]es, [n]o, no and why, or = and its result: ',
}

/** @returns `undefined` for a line that decides nothing: "yes, but less" may mean either */
function answerOf(line: string, kind: Asked['kind']): Answer | undefined {
  if (line === '') return undefined
  if (kind !== 'approval' && line.startsWith('=')) return { result: jsonOrText(line.slice(1).trim()) }
  const [no] = /^no?(?=$|[,:\s])[,:\s]*/i.exec(line) ?? []
  if (no !== undefined) {
    const reason = line.slice(no.length)
    return { approve: false, ...(reason !== '' && { reason }) }
  }
  if (kind === 'client-tool') return { result: jsonOrText(line) }
  if (/^y(es)?$/i.test(line)) return { approve: true }
  return /^(y|ye[aps]+|ok(ay)?|sure)\b/i.test(line) ? undefined : { approve: false, reason: line }
}

/** JSON, else the text as it is. */
function jsonOrText(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
