import type { JSONSchema } from '@agentkit/core'

/** A compiled function: plain JSON, as in caches and manifests. */
export type CompiledFunction = {
  /** The tool's name: the function's own. */
  name: string
  /** Its docstring, including `@returns`. */
  description: string
  /** One property per parameter; or the properties of the only parameter, if that is written as `{ city, days }`. */
  inputSchema: JSONSchema
  /** In the order of the function's parameters, without the context. */
  parameters: CompiledParameter[]
  /** The index of the `ToolContext` parameter, if there is one. */
  contextIndex?: number
  /** The strings in `inputSchema` that are `Date`s: JSON Pointers (RFC 6901), such as `/properties/since`. */
  dates?: string[]
  /** The class or object of a method that uses `this` and so must be bound. */
  methodOf?: string
}

/** How one parameter gets its argument from the input. */
export type CompiledParameter =
  /** The property of this name. */
  | { name: string; rest?: undefined; whole?: undefined }
  /** The property of this name is a list, and each of its items an argument (`...ids`). */
  | { name: string; rest: true; whole?: undefined }
  /** The whole input (`{ city, days }`). */
  | { name?: undefined; rest?: undefined; whole: true }
