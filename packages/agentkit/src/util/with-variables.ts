import { invalidConfig } from '@agentkit/core/internal'

/**
 * Texts of a table with the values of the environment in place of `${VARIABLE}`.
 * @param table where they are, for the error
 * @throws AgentKitError `invalid-config` for a variable that is not set
 */
export function withVariablesIn(texts: Readonly<Record<string, string>>, table: string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, withVariables(text, table)]))
}

/** The same, of one text. */
export function withVariables(text: string, table: string): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, variable: string) => {
    const value = process.env[variable]
    if (value !== undefined) return value
    throw invalidConfig(`${table} names \${${variable}}, which is not set. Set ${variable}.`)
  })
}
