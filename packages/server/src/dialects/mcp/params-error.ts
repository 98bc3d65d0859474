import { isRecord } from '@agentkit/core/internal'
import type { ProtocolError } from '@modelcontextprotocol/server'
import { invalid } from '../../answer/field-problems.ts'
import { mcpSDK } from './load-mcp.ts'
import { errorData } from './mcp-error.ts'

/**
 * The error of params that do not fit their schema, in our own sentence. The SDK throws the issues of its schema library as
 * the JSON text of a message.
 *
 * @returns `undefined` for any other error
 */
export function paramsError(thrown: unknown): ProtocolError | undefined {
  const [, text] =
    /^(?:Invalid tools\/call request: )?(\[\s.*\])$/s.exec(thrown instanceof Error ? thrown.message : '') ?? []
  const issue = text === undefined ? undefined : firstIssue(text)
  if (!issue) return undefined
  const problem = invalid(issue.path, issue.message)
  return new (mcpSDK().ProtocolError)(-32602, problem.detail, errorData(problem))
}

function firstIssue(text: string): { path: string[]; message: string } | undefined {
  try {
    const [issue] = JSON.parse(text)
    if (!isRecord(issue) || !Array.isArray(issue.path)) return undefined
    const { path, expected } = issue
    const message = typeof expected === 'string' && Object.hasOwn(forms, expected) ? forms[expected] : undefined
    return { path: path.map(String), message: message ?? 'does not have the form that the protocol has for it' }
  } catch {
    return undefined
  }
}

const forms: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  boolean: 'must be true or false',
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be a list',
}
