import { resolve } from 'node:path'
import type { Tool } from '@agentkit/core'
import {
  checkOptions,
  type ForeignWords,
  invalidConfig,
  isAny,
  isText,
  isTextList,
  type OptionRule,
  type OptionRules,
} from '@agentkit/core/internal'
import type { AuthProvider, ElicitRequestParams, ElicitResult, OAuthClientProvider } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'

/** The options of `mcp()`: `url` for a server over HTTP, `command` for a server that is started as a process. */
export type McpOptions = {
  /** The name in messages and in the lock file; default: from `url` or `command`. */
  name?: string
  /** The address of a server over HTTP. */
  url?: string
  /** The program of a server, which is started and exchanges messages over its standard input and output. */
  command?: string
  /** The arguments of `command`. */
  args?: readonly string[]
  /** Variables of the started process, beside HOME, LOGNAME, PATH, SHELL, TERM and USER. */
  env?: Readonly<Record<string, string>>
  /** The folder in which `command` runs; default: the working directory of this process. */
  cwd?: string
  /** Sent with each request to `url`. */
  headers?: Readonly<Record<string, string>>
  /** OAuth, or tokens, by the SDK of MCP. */
  authProvider?: AuthProvider | OAuthClientProvider
  /** The tools to use, by their names at the server; default: all. */
  tools?: readonly string[]
  /** Tools are named `<prefix>_<name>`. */
  prefix?: string
  /** The calls that need approval; default: calls of tools that their server annotates as destructive. */
  needsApproval?: boolean | readonly string[] | ((tool: McpToolInfo, input: unknown) => boolean | Promise<boolean>)
  /**
   * Answers the server's requests for input during a call. Without it, a form with no field, or with one boolean beside
   * optional fields, becomes an approval request of the call if its run is iterated. All other requests are declined.
   */
  onElicit?(request: ElicitRequestParams, context: ElicitContext): ElicitResult | Promise<ElicitResult>
  /** The lock file of the tools' hashes; default `agentkit-mcp.lock.json`. `false` pins nothing. */
  pins?: string | false
  /** Bounds connecting and each request, in milliseconds; default 30,000. */
  timeoutMs?: number
}

/** The tools of an MCP server: an element of an agent's `functions`. */
export type McpTools = readonly Tool[] & { close(): Promise<void> }

/** A tool as its server describes it. */
export type McpToolInfo = {
  readonly name: string
  readonly description: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The call during which a server requests input. `tool` is absent if several calls are running. */
export type ElicitContext = { readonly server: string; readonly tool?: string; readonly signal: AbortSignal }

/** Checked options. */
export type Server = Omit<McpOptions, 'url' | 'pins' | 'name' | 'timeoutMs'> & {
  readonly name: string
  readonly url?: URL
  readonly timeoutMs: number
  /** The absolute path of the lock file. */
  readonly lockFile?: string
}

const isWord: OptionRule = {
  is: 'a text that is not empty',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
}
const isTexts: OptionRule = {
  is: 'an object of texts by their names',
  holds: (value) => typeof value === 'object' && value !== null && Object.values(value).every(isText.holds),
}

/** Whether they can be sent: otherwise each request would fail, as if there was no connection. */
function areHeaders(value: unknown): boolean {
  try {
    return isTexts.holds(value) && new Headers(value as Record<string, string>) !== undefined // checked before
  } catch {
    return false
  }
}

const rules: OptionRules<McpOptions> = {
  name: isWord,
  url: isWord,
  command: isWord,
  args: isTextList,
  env: isTexts,
  cwd: isWord,
  headers: { is: 'an object of texts by the names of HTTP headers', holds: areHeaders },
  authProvider: { is: 'an authProvider of the MCP SDK', holds: (value) => typeof value === 'object' && value !== null },
  tools: isTextList,
  prefix: {
    is: 'letters, digits, "_" and "-"',
    holds: (value) => isText.holds(value) && /^[A-Za-z0-9_-]{1,32}$/.test(String(value)),
  },
  needsApproval: {
    is: 'true, false, a list of names of tools, or a function of the tool and its input',
    holds: (value) => ['boolean', 'function'].includes(typeof value) || isTextList.holds(value),
  },
  onElicit: { is: 'a function', holds: (value) => typeof value === 'function' },
  pins: { is: 'the path of the lock file, or false', holds: (value) => value === false || isWord.holds(value) },
  timeoutMs: {
    is: 'a number of milliseconds above 0',
    holds: (value) => typeof value === 'number' && value > 0 && value <= limits.longestTimerMs,
  },
}

const place = '`url`, or `command` and `args`,'

/** What the clients of the AI SDK, OpenAI Agents, Mastra, LangChain and VoltAgent call our options. */
const foreignWords: ForeignWords = {
  servers: 'one call of mcp() for each server',
  mcpServers: 'one call of mcp() for each server',
  transport: place,
  type: place,
  fullCommand: '`command` and `args`',
  requestInit: 'headers',
  toolFilter: 'tools',
  allowedTools: 'tools',
  prefixToolNameWithServerName: 'prefix',
  requireToolApproval: 'needsApproval',
  requireApproval: 'needsApproval',
  onElicitationRequest: 'onElicit',
  elicitation: 'onElicit',
  timeout: 'timeoutMs',
}

/**
 * @throws AgentKitError `invalid-argument` for an unknown option or a wrong value
 * @throws AgentKitError `invalid-config` unless there is one of `url` and `command`, and for an address that is not HTTP
 */
export function checkServer(options: McpOptions): Server {
  checkOptions(options, { ...rules, name: rules.name ?? isAny }, { words: foreignWords })
  const { url, command, pins = 'agentkit-mcp.lock.json', timeoutMs = 30_000, name, ...rest } = options
  if ((url === undefined) === (command === undefined)) {
    throw invalidConfig(`${known(name)} has a \`url\` or a \`command\`. Give one of them.`)
  }
  const only = url === undefined ? (['headers', 'authProvider'] as const) : (['args', 'env', 'cwd'] as const)
  const unused = only.find((option) => options[option] !== undefined)
  if (unused !== undefined) {
    throw invalidConfig(
      `${known(name)}: \`${unused}\` has no effect with \`${url === undefined ? 'command' : 'url'}\`.`,
    )
  }
  const address = url === undefined ? undefined : addressOf(url, name)
  return {
    ...rest,
    ...(command !== undefined && { command }),
    ...(address && { url: address }),
    ...(pins !== false && { lockFile: resolve(pins) }),
    name: name ?? (address ? `${address.host}${address.pathname}` : commandName(options)),
    timeoutMs,
  }
}

/** A server that has a name is one of several, as in a configuration. */
function known(name: string | undefined): string {
  return name === undefined ? 'An MCP server' : `The MCP server "${name}"`
}

function addressOf(url: string, name: string | undefined): URL {
  const address = URL.parse(url)
  if (address && /^https?:$/.test(address.protocol) && !address.username && !address.password) return address
  // The address may hold a secret.
  throw invalidConfig(
    `${known(name)}: a \`url\` begins with http:// or https://, without a user. Use \`headers\` for a token.`,
  )
}

/** A command without the arguments that it has by mistake, which may be secrets. */
export function withoutArguments(command: string): string {
  return command.replace(/\s+-.*$/s, '')
}

/**
 * The program and its first argument, as in `npx server-files`. Other arguments may be secrets, and the lock file is
 * committed.
 */
function commandName({ command = '', args = [] }: McpOptions): string {
  const program = withoutArguments(command).split(/[\\/]/).at(-1) ?? command
  const first = args.find((argument, place) => !/^-|=/.test(argument) && !takesSecret.test(args[place - 1] ?? ''))
  return first === undefined ? program : `${program} ${first.split(/[\\/]/).at(-1)}`
}

/** Flags before a secret, or before a text that may contain one: `--api-key`, `sh -c`. */
const takesSecret = /^-(?:[ce]$|.*(?:key|token|secret|pass|auth|credential|bearer|header))/i
