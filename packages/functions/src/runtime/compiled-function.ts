import type { JSONSchema } from '@agentkit/core'

/** What the compiler makes of a typed function: plain JSON, as caches and manifests hold it. */
export type CompiledFunction = {
  /** The tool's name: the function's own. */
  name: string
  /** Its docstring, with what it returns. */
  description: string
  /** One property per parameter; or those of the only parameter, where that is written as `{ city, days }`. */
  inputSchema: JSONSchema
  /** In the order of the function's parameters, without the context. */
  parameters: CompiledParameter[]
  /** The place of the parameter that is a `ToolContext`, where there is one. */
  contextIndex?: number
  /** Where in `inputSchema` a string stands for a `Date`: JSON Pointers (RFC 6901), such as `/properties/since`. */
  dates?: string[]
  /** The class or object that it is a method of, where it uses `this`: then it needs to be bound. */
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
