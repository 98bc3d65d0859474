export { type ToolContext, toolFromFunction } from '@agentkit/core'
export { attachTool } from './attach-tool.ts'
export type { CompiledFunction, CompiledParameter } from './compiled-function.ts'
