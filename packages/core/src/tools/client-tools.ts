import type { ToolSpec } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import { invalidArgument, messageOf } from '../data/errors.ts'
import { isRecord } from '../data/message-problem.ts'
import { limits } from '../limits.ts'
import { foreignSchemaProblem } from '../schema/foreign-schema.ts'
import { withoutPatterns } from '../schema/without-patterns.ts'
import { tool } from './define-tool.ts'
import { readOnName } from './read-on-name.ts'
import { compileTools, type ToolBox } from './toolbox.ts'

/**
 * Tools that a client brings for one run, which it executes.
 *
 * @param agent.max how many it may bring; it may bring none where that is absent
 * @param agent.tools the agent's own, whose names are not for clients
 * @throws AgentKitError `invalid-argument`, naming the tool
 */
export function checkClientTools(
  specs: readonly ToolSpec[],
  { max, tools }: { max: number | undefined; tools: Iterable<{ name: string }> },
): Tool[] {
  if (!Array.isArray(specs)) throw invalidArgument('`clientTools` is a list of { name, description, inputSchema }.')
  if (specs.length === 0) return []
  if (max === undefined) {
    throw invalidArgument('The agent takes no tools of clients. Give it `clientTools: { max: 10 }`.')
  }
  if (specs.length > max)
    throw invalidArgument(`${specs.length} tools of the client are too many: at most ${max} are taken.`)
  const taken = new Set([...Array.from(tools, ({ name }) => name), readOnName])
  return specs.map((spec) => {
    const checked = clientTool(spec)
    if (taken.has(checked.name)) throw shadows(checked.name)
    taken.add(checked.name)
    return checked
  })
}

function clientTool(spec: ToolSpec): Tool {
  const { name, description, inputSchema } = (isRecord(spec) ? spec : {}) as Partial<ToolSpec>
  const fail = (problem: string): never => {
    throw invalidArgument(`A tool of the client, "${String(name).slice(0, 64)}": ${problem}.`)
  }
  if (typeof description !== 'string' || description.length > limits.clientToolDescriptionChars) {
    fail(`its description is a text of at most ${limits.clientToolDescriptionChars} characters`)
  }
  const problem = foreignSchemaProblem(inputSchema)
  if (problem !== undefined) fail(problem)
  try {
    const input = withoutPatterns(inputSchema ?? {})
    return tool({ name: String(name), description: String(description), input, client: true })
  } catch (error) {
    throw invalidArgument(`A tool of the client: ${messageOf(error)}`)
  }
}

function shadows(name: string): Error {
  return invalidArgument(`A tool of the client has the name of another one, "${name}". Give it another name.`)
}

/** @throws AgentKitError `invalid-argument` for a name that a tool of the agent has */
export async function withClientTools(toolBox: ToolBox, tools: readonly Tool[]): Promise<ToolBox> {
  const other = tools.find(({ name }) => toolBox.byName.has(name))
  if (other) throw shadows(other.name)
  const { specs, byName } = await compileTools(new Map(tools.map((each) => [each.name, each])))
  return {
    ...toolBox,
    specs: [...toolBox.specs, ...specs],
    byName: new Map([...toolBox.byName, ...byName]),
    mayNeedApproval: true,
  }
}
