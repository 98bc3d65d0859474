import { AgentKitError, type ErrorCode } from '../data/errors.ts'
import { isRecord } from '../data/message-problem.ts'

/** The known word that a misspelt one probably means. */
export type Nearest = (word: string, known: readonly string[]) => string | undefined

/**
 * Refuses options that do not exist: a misspelt one would be ignored, and `{ user_id }` would silently mean the user
 * `"default"`.
 *
 * @param known each option there is, as a table that the compiler compares with the type
 * @param check.of the option that holds these ones: `budget`
 * @param check.nearest completes the message by "Did you mean …?"
 * @throws AgentKitError `check.code` for what is no object, and for the first option that is not known, listing those that are
 * @example
 * checkOptionNames(options, { host: true, port: true } satisfies Record<keyof Options, true>, { code: 'invalid-config' })
 * // Unknown option `hosst`. Known: host, port.
 */
export function checkOptionNames(
  options: object,
  known: Readonly<Record<string, unknown>>,
  { code, of, nearest }: { code: ErrorCode; of?: string; nearest?: Nearest },
): void {
  const names = Object.keys(known)
  if (!isRecord(options)) {
    throw new AgentKitError(
      code,
      `${of === undefined ? 'The options are' : `\`${of}\` is`} an object. Known: ${names.join(', ')}.`,
    )
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const inside = of === undefined ? '' : `${of}.`
  const meant = nearest?.(unknown, names)
  const hint = meant === undefined ? '' : ` Did you mean \`${inside}${meant}\`?`
  throw new AgentKitError(code, `Unknown option \`${inside}${shown(unknown)}\`.${hint} Known: ${names.join(', ')}.`)
}

/** A name that came from outside, such as an array's index or a text's letters, is no longer than a name. */
function shown(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}
