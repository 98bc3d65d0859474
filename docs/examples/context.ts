import { Agent, SDKContext } from 'agentkit'

const sdkContext = new SDKContext({ configPath: './agentkit_config.toml' })
for (const warning of sdkContext.warnings) console.warn(warning)

export const research = new Agent({ name: 'Research', functions: [], sdkContext }) // takes [research]
export const writer = new Agent({ name: 'Writer', functions: [], sdkContext, model: 'offline/extractive' })
