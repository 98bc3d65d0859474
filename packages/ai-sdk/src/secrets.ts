import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRecord, secretsOf } from '@agentkit/wire'

/**
 * The credentials of a model, which must not appear in its errors. The AI SDK's providers keep the headers of their
 * requests in `config.headers`, a function mostly; other models have none that could be known.
 */
export async function secretsOfModel(model: object): Promise<string[]> {
  try {
    const { config } = model as { config?: unknown }
    const { headers } = isRecord(config) ? config : {}
    // A promise of headers may need a request, which is not waited for.
    const given: unknown = await Promise.race([typeof headers === 'function' ? headers() : headers, nextTurn()])
    if (!isRecord(given)) return []
    const texts = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return secretsOf(undefined, Object.fromEntries(texts))
  } catch {
    // Without a key there are no headers.
    return []
  }
}
