import { invalidArgument } from '../data/errors.ts'

const validId = /^[a-z_-][a-z0-9_-]{0,49}$/

/**
 * An agent's id: the given one, or its name in lower case with `-` for all characters except `a-z 0-9 _ -`.
 * @throws AgentKitError `invalid-argument` when the id is empty, longer than 50 or starts with a digit
 * @example
 * agentIdFrom('Research Team') // 'research-team'
 */
export function agentIdFrom(name: string, id?: string): string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalidArgument('An agent needs a name: new Agent({ name: "…" }).')
  }
  if (id !== undefined && typeof id !== 'string') throw invalidArgument('`id` is a text, such as "clerk".')
  const candidate = id ?? idFromName(name)
  if (validId.test(candidate)) return candidate
  const source = id === undefined ? `The name "${name}" makes the id "${candidate}", which` : `The id "${id}"`
  throw invalidArgument(
    `${source} is not 1 to 50 of a-z, 0-9, "_" and "-" beginning with no digit. Pass another \`id\`.`,
  )
}

function idFromName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
