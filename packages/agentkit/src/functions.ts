export {
  attachTool,
  type CompiledFunction,
  type CompiledParameter,
  type ToolContext,
  toolFromFunction,
} from '@agentkit/functions'
