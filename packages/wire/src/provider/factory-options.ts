import { AgentKitError } from '@agentkit/core'
import { checkOptionNames, isFunction, isOneOf, isRecord, isText, type OptionRule } from '@agentkit/core/internal'
import { fetchWithinOrigin } from '../http/fetch-within-origin.ts'
import type { CallTimeouts } from '../stream/call-watch.ts'

/** The options of a factory or of its `model`, with the rules of those that only this provider has. */
export type OptionTable<Options extends object> = Readonly<Record<keyof Options, true | OptionRule>>

/** As in the settings of the SDKs, `null` means an absent text. */
const isSetting: OptionRule = { ...isText, holds: (value) => value === null || isText.holds(value) }

export const isKey = {
  is: 'a text',
  holds: (value: unknown): value is string => typeof value === 'string' && value.trim() !== '',
}

export const isHeaders = {
  is: 'an object of texts by the names of HTTP headers, in characters of Latin-1 without line breaks',
  holds: (value: unknown): value is Record<string, string> =>
    isRecord(value) && Object.entries(value).every(([name, text]) => isHeader(name, text)),
}

/** White space around a value is not sent. */
function isHeader(name: string, text: unknown): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text.trim())
}

function orFunction({ is, holds }: OptionRule): OptionRule {
  return {
    is: `${is}, or a function that gives it for each request`,
    holds: (value) => typeof value === 'function' || holds(value),
  }
}

/**
 * A client of the provider's own SDK: one of another SDK, or of another generation of it, fails only at the first call.
 * @param example creates one, for the message
 * @param has whether it has what is used; by default the method `post`, as the SDKs that Stainless generates
 */
export function isClient(
  example: string,
  has: (client: Record<string, unknown>) => boolean = ({ post }) => typeof post === 'function',
): OptionRule {
  return {
    is: `a client of the SDK: ${example}`,
    holds: (value) => typeof value === 'object' && value !== null && has(value as Record<string, unknown>),
  }
}

/** The rules of options that mean the same in every factory. */
const commonRules: Readonly<Record<string, OptionRule>> = {
  apiKey: orFunction(isSetting),
  baseURL: isSetting,
  endpoint: isSetting,
  serverUrl: isSetting,
  apiVersion: isSetting,
  headers: orFunction(isHeaders),
  fetch: isFunction,
  transport: isOneOf(['node', 'fetch']),
  client: { is: 'a client of the SDK', holds: (value) => typeof value === 'object' && value !== null },
}

/** The options with which most factories reach their server. */
export const connectionOptionNames = {
  apiKey: true,
  baseURL: true,
  headers: true,
  fetch: true,
  transport: true,
  client: true,
} as const

/** The timeouts that a call may set. */
export const callTimeoutNames: OptionTable<CallTimeouts> = { firstByteTimeoutMs: true, idleTimeoutMs: true }

/**
 * Checks the options of a factory, or of its `model`: a misspelt one would be ignored.
 * @throws AgentKitError `code` for an unknown option or a wrong value, which the message does not repeat
 */
export function checkOptions<Options extends object>(
  options: Options,
  table: OptionTable<Options>,
  code: 'invalid-config' | 'invalid-argument' = 'invalid-config',
): void {
  checkOptionNames(options, table, { code })
  for (const [name, own] of Object.entries<true | OptionRule>(table)) {
    const rule = own === true ? commonRules[name] : own
    const value: unknown = options[name as keyof Options] // a name of the table
    if (value === undefined || rule === undefined || rule.holds(value)) continue
    throw new AgentKitError(code, `\`${name}\` is ${rule.is}.`)
  }
}

/** The `fetch` for requests: the user's, or the current global `fetch`; `undefined` for `node:http`. */
export function chosenFetch({
  fetch,
  transport,
}: {
  fetch?: typeof globalThis.fetch | undefined
  transport?: 'node' | 'fetch' | undefined
}): typeof globalThis.fetch | undefined {
  if (fetch !== undefined || transport !== 'fetch') return fetch
  return fetchWithinOrigin
}
