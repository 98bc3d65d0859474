import { isRecord } from '@agentkit/core/internal'
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { invalid } from '../../answer/field-problems.ts'
import { ProblemError } from '../../answer/problem.ts'
import { isSessionId, sessionIdForm } from '../../request/fields.ts'
import { AnswerOutcome, type Outcome } from './answer-outcome.ts'
import { mayElicit } from './approval-requests.ts'
import { askResult } from './ask-result.ts'
import { continueRun } from './continue-run.ts'
import { mcpSDK } from './load-mcp.ts'
import type { MCPHost, Question } from './mcp-host.ts'
import { type Progress, progressOf } from './progress.ts'

const toolName = 'ask_agent'
const text = { type: 'string' } as const

/** The only tool: the agent, with all that it can do. */
export function askTool({ agent: { name, description, members = [] } }: MCPHost): Tool {
  const about = description === undefined || description === '' ? '' : ` ${description}`
  const team = members.map((member) => `\n- ${member.name}${member.description ? `: ${member.description}` : ''}`)
  return {
    name: toolName,
    title: `Ask ${name}`,
    description: `Asks ${name}, an agent that works with its own tools, and returns its answer.${about}${team.join('')}`,
    inputSchema: {
      type: 'object',
      properties: {
        message: { ...text, minLength: 1, description: 'The question or task, in plain language.' },
        session_id: {
          ...text,
          ...{ minLength: 1, maxLength: 128 },
          description:
            'Continues the conversation of an earlier answer: its session_id. Leave it out to begin a new one.',
        },
      },
      required: ['message'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        answer: text,
        session_id: text,
        run_id: text,
        finish_reason: text,
        sources: { type: 'array', items: { type: 'object' } },
        approvals: { type: 'array', items: { type: 'object' } },
      },
      required: ['answer', 'session_id', 'run_id', 'finish_reason', 'sources'],
    },
  }
}

export type Called = {
  params: { name: string; arguments?: unknown }
  context: ServerContext
  /** The capabilities that the client has declared. */
  capabilities: unknown
}

/**
 * Runs the agent, or continues a run whose approvals the client's user has decided on.
 * @throws ProblemError for arguments that are not valid, and where no run begins
 */
export async function askAgent(host: MCPHost, called: Called): Promise<CallToolResult | InputRequiredResult> {
  const { params, context, capabilities } = called
  if (params.name !== toolName) {
    throw new (mcpSDK().ProtocolError)(
      -32602,
      `There is no tool ${JSON.stringify(params.name.slice(0, 100))}. There is ${toolName}.`,
    )
  }
  const question = readArguments(params.arguments)
  const state = context.mcpReq.requestState<string>()
  const elicits = mayElicit(host, capabilities)
  const progress = progressOf(context)
  const showProgress = progress.show
  try {
    if (state === undefined) return askResult(host, await ask(host, question, { context, showProgress }), { elicits })
    const responses = context.mcpReq.inputResponses ?? {}
    const { outcome, isDismissed } = await continueRun(host, { runId: state, responses, context, showProgress })
    return askResult(host, outcome, { elicits: elicits && !isDismissed })
  } finally {
    progress.stop()
  }
}

type Asked = { context: ServerContext; showProgress: Progress['show'] }

async function ask(host: MCPHost, question: Question, { context, showProgress }: Asked): Promise<Outcome> {
  const answer = new AnswerOutcome(host.agent, question.sessionId)
  const onEvent: Parameters<MCPHost['ask']>[1]['onEvent'] = (event) => {
    answer.read(event)
    showProgress(event)
  }
  await host.ask(question, { signal: context.mcpReq.signal, onEvent })
  return answer.outcome()
}

function readArguments(sent: unknown = {}): Question {
  if (!isRecord(sent)) throw invalid(['arguments'], 'must be an object')
  const { message, session_id: sessionId = `mcp_${crypto.randomUUID()}`, ...others } = sent
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw refused(other.slice(0, 100), 'is no argument of this tool: it takes message and session_id')
  if (message === undefined) throw refused('message', 'is required')
  if (typeof message !== 'string' || message.trim() === '') throw refused('message', 'must be a text that is not empty')
  if (!message.isWellFormed()) throw refused('message', 'must be valid Unicode')
  if (typeof sessionId !== 'string' || !isSessionId(sessionId)) {
    throw refused('session_id', sessionIdForm)
  }
  return { message, sessionId }
}

/** Clients of the SDK read the error of a 400. */
function refused(name: string, message: string): ProblemError {
  return new ProblemError('invalid-field', {
    ...{ status: 400, detail: `The argument ${name} ${message}.` },
    errors: [{ path: ['arguments', name], message }],
  })
}
