export { type ToolContext, toolFromFunction } from '@agentkit/core'
export { attachTool } from './runtime/attach-tool.ts'
export type { CompiledFunction, CompiledParameter } from './runtime/compiled-function.ts'
