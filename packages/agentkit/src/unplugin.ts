export { type AgentkitToolsOptions, agentkitTools } from '@agentkit/functions/unplugin'
