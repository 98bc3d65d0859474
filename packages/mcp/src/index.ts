export { mcp } from './mcp.ts'
export type { ElicitContext, McpOptions, McpToolInfo, McpTools } from './options.ts'
