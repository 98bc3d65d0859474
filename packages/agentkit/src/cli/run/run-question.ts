import { AgentKitError, isAgentKitError, type RunResult, terminalLine, terminalText } from '@agentkit/core'
import { redactSecrets, shellWord, untilAborted } from '@agentkit/core/internal'
import { definedOnly } from '../../util/defined-only.ts'
import { interruptible } from '../common/interrupt.ts'
import { chosenAgent, loadAgents } from '../common/load-agents.ts'
import { printError } from '../common/print.ts'
import { withProgress } from '../common/progress.ts'
import { type Output, takeStdout } from '../common/stdout.ts'
import { UsageError } from '../common/usage-error.ts'
import { fileAndQuestion } from './question.ts'

export type RunFlags = { agent?: string; json?: true; stream?: true; session?: string; user?: string }

/**
 * Asks an agent one question, and prints its answer.
 *
 * @returns the exit code: how the run ended
 * @throws UsageError for a missing file, agent or question
 */
export async function runQuestion(words: readonly (string | undefined)[], flags: RunFlags): Promise<number> {
  const { signal, code } = interruptible()
  const output = takeStdout()
  try {
    const { file, question } = await untilAborted(signal, fileAndQuestion(words))
    const loaded = await untilAborted(signal, loadAgents(file, { standIn: true, ids: [flags.agent] }))
    try {
      const agent = chosenAgent(loaded, flags.agent)
      const options = definedOnly({ userId: flags.user, sessionId: flags.session })
      const run = agent.stream(question, {
        ...options,
        onApproval: 'end',
        signal: AbortSignal.any([signal, output.closed]),
      })
      if (flags.stream) for await (const event of run) await output.write(jsonLine(event))
      const result = await withProgress(`${agent.name} is working`, run.result)
      if (!flags.stream) await printResult(result, flags, output)
      report(result, chatOf(file, flags), code() !== undefined || output.closed.aborted)
      return code() ?? (output.closed.aborted ? 0 : exitCodes[result.finishReason])
    } finally {
      await loaded.close()
    }
  } catch (error) {
    const interrupted = code()
    if (!(error instanceof UsageError) && flags.json) await output.write(jsonLine(await problemOf(error)))
    if (interrupted === undefined) throw error
    return interrupted
  }
}

const exitCodes: Readonly<Record<RunResult['finishReason'], number>> = {
  stop: 0,
  length: 0,
  'content-filter': 0,
  budget: 3,
  'max-steps': 3,
  'no-progress': 3,
  approval: 4,
  aborted: 1,
  error: 1,
}

async function printResult(result: RunResult, flags: RunFlags, output: Output): Promise<void> {
  if (!flags.json) {
    if (result.text !== '') await output.write(`${terminalText(result.text).trimEnd()}\n`)
    return
  }
  const { answerBody, runProblem, problemBody } = await import('@agentkit/server/internal')
  const problem = runProblem(result)
  const owner = { userId: flags.user ?? 'default', sessionId: flags.session ?? '' }
  const body = problem ? JSON.parse(problemBody(problem, result.runId)) : answerBody(result, owner)
  await output.write(jsonLine(body))
}

/** The problem of what a file or the constructor of its agent has thrown. */
async function problemOf(error: unknown): Promise<unknown> {
  const { problemBody, thrownProblem } = await import('@agentkit/server/internal')
  const known = isAgentKitError(error) ? error : new AgentKitError('invalid-config', 'The file failed.')
  return JSON.parse(problemBody(thrownProblem(known), crypto.randomUUID()))
}

/** One line, in which JSON escapes what a terminal would interpret. */
function jsonLine(value: unknown): string {
  return `${terminalLine(JSON.stringify(value))}\n`
}

/** The chat that decides on a run of this session; a run without one is in no chat. */
function chatOf(file: string | undefined, { agent, user, session }: RunFlags): string | undefined {
  if (session === undefined) return undefined
  const options = Object.entries({ agent, user, session }).flatMap(([name, value]) =>
    value ? [`--${name}`, value] : [],
  )
  return ['agentkit', 'chat', ...(file === undefined ? [] : [file]), ...options].map(shellWord).join(' ')
}

/** Prints facts on standard error that the answer alone does not show. */
function report(
  { finishReason, error, approvals, warnings }: RunResult,
  chat: string | undefined,
  isInterrupted: boolean,
): void {
  for (const warning of warnings) printError(`warning: ${warning}`)
  if (isInterrupted) return
  if (finishReason === 'length') printError('warning: the answer is cut: it has reached the longest output.')
  else if (finishReason === 'content-filter') printError("warning: the provider's content filter stopped the answer.")
  else if (finishReason === 'approval') {
    for (const { name, input, approvalId } of approvals) {
      printError(`${name} ${JSON.stringify(input)} waits for approval (${approvalId}).`)
    }
    const next = chat === undefined ? 'ask in agentkit chat' : `type /waiting in ${chat}`
    printError(`The run waits for approval: nothing was decided. To be asked, ${next}.`)
  } else if (error) process.stderr.write(`${terminalText(`${error.code}: ${redactSecrets(error.message)}`)}\n`)
  else if (finishReason !== 'stop') printError(`The run ended early: ${finishReason}.`)
}
