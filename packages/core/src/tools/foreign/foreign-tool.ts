// The parameters of foreign functions cannot be known here: only `never` accepts functions of every parameter list.
type AnyMethod = (...parameters: never[]) => unknown

/** A tool of the AI SDK: `tool({ description, inputSchema, execute })`. */
export type AISDKTool = { readonly inputSchema: unknown; readonly execute?: AnyMethod | undefined }

/** What `createTool()` of Mastra makes; its type does not show whether it has a schema. */
export type MastraTool = {
  readonly id: string
  readonly description: string
  readonly inputSchema?: unknown
  readonly execute?: AnyMethod | undefined
}

/** A `StructuredTool` or `tool()` of LangChain. */
export type LangChainTool = {
  readonly name: string
  readonly description?: string | undefined
  readonly schema: unknown
  readonly invoke: AnyMethod
}

/** A `tool()` of the OpenAI Agents SDK. */
export type OpenAIAgentsTool = {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly invoke: AnyMethod
}

/**
 * A tool that was made for another library. It is recognized by its fields, so that agentkit depends on none of them:
 * a tool set of the AI SDK or Mastra, whose keys are the names, an AI SDK tool with a name of its own, a LangChain tool, or one of
 * the OpenAI Agents SDK.
 */
export type ForeignTool =
  | { readonly [name: string]: AISDKTool | MastraTool }
  | (AISDKTool & { readonly name: string })
  | LangChainTool
  | OpenAIAgentsTool

/** The fields of a foreign object, of which nothing is known. */
export type Fields = { readonly [name: string]: unknown }
