import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import type { CloudOptions } from '@agentkit/core/internal'

/** The kind of Pinecone index. */
export type CloudTool = 'cloudindex-serverless' | 'cloudindex-pod'

/** The options with all defaults applied. */
export type PineconeSettings = Required<Omit<CloudOptions, 'controllerHostUrl'>> & {
  tool: CloudTool
  controllerHostUrl?: string
}

/**
 * Completes the options with the environment and defaults.
 * @param folder the local folder of the index
 * @throws AgentKitError `missing-key`
 */
export function pineconeSettings(tool: CloudTool, folder: string, options: CloudOptions = {}): PineconeSettings {
  const apiKey = options.apiKey || process.env.PINECONE_API_KEY
  if (!apiKey) {
    const fix = 'Set PINECONE_API_KEY in the environment, or pass `cloud: { apiKey }`.'
    throw new AgentKitError('missing-key', `\`${tool}\` needs a key of Pinecone. ${fix}`)
  }
  const controllerHostUrl = options.controllerHostUrl || process.env.PINECONE_CONTROLLER_HOST
  return {
    tool,
    apiKey,
    ...(controllerHostUrl && { controllerHostUrl }),
    indexName: options.indexName || 'agentkit',
    namespace: options.namespace || `agentkit-${shortHash(resolve(folder))}`,
    cloud: options.cloud || 'aws',
    region: options.region || 'us-east-1',
    create: options.create ?? false,
  }
}

/**
 * A cloud index needs an embedder.
 * @throws AgentKitError `invalid-config` without dimensions, which are the embedder's
 */
export function checkCloudEmbedder(tool: CloudTool, dimensions: number | undefined): asserts dimensions is number {
  if (dimensions !== undefined) return
  const fix = 'Configure one in `[embedding]`, or take `basic` or `localstore`, which search by words without.'
  throw new AgentKitError('invalid-config', `\`${tool}\` keeps vectors, and there is no embedder to make them. ${fix}`)
}

/** The name of the local files for one place in the cloud: another index or namespace starts empty. */
export function localName({ controllerHostUrl = '', indexName, namespace }: PineconeSettings): string {
  return `pinecone-${shortHash([controllerHostUrl, indexName, namespace].join('\0'))}`
}

/** Eight hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
