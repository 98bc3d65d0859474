import type { JSONSchema } from '@agentkit/core'

/** What a careful person would write by hand for one function of a fixture. */
export type Expected = {
  /** The tool's name, which is the function's. */
  name: string
  /** Paragraphs count, the white space within them does not. */
  description: string
  inputSchema: JSONSchema
  /** What the function is given, in order: a property's name, `...name` for one that is spread, `*` for the input. */
  parameters: string[]
  /** An input, and what the function says that it was given. */
  calls: [input: Record<string, unknown>, received: unknown[]][]
  /** Inputs that do not fit. */
  refuses?: Record<string, unknown>[]
  /** The function, where it is no export of its own name. */
  find?: (module: unknown) => unknown
  /** What it is called on. */
  boundTo?: (module: unknown) => unknown
  /** The class or object that it is a method of. */
  methodOf?: string
  /** What the function says after its arguments, or before them (`this`, the context). */
  alsoSays?: { before?: unknown[]; after?: unknown[] }
  /** The places of strings that arrive as a Date, where not all strings of the format `date-time` do. */
  dates?: string[]
  /** What is taken apart by the function, so that defaults within it are applied: properties, or `*`. */
  takesApart?: string[]
  /** Properties with a default that is not in the schema: what the function then receives is for it to say. */
  ownDefaults?: string[]
}

/** An object of known fields. Those that may be absent end in `?`. */
export function object(fields: Record<string, JSONSchema>): JSONSchema {
  const names = Object.keys(fields)
  const required = names.filter((name) => !name.endsWith('?'))
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), fields[name]]))
  const closed = { type: 'object', properties, additionalProperties: false }
  return required.length > 0 ? { ...closed, required } : closed
}

/** A pattern that is judged by what it matches: it may be written in many ways. */
export type Matching = { matches: string[]; doesNotMatch: string[] }
