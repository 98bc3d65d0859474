import { describe, expect, it } from 'vitest'
import { importProvider } from './import-provider.ts'

describe('importProvider', () => {
  it.each(['openai', 'offline'] as const)('imports %s, a dependency', async (id) => {
    expect(await importProvider(id)).toBeTypeOf('function')
  })

  it('reports how to install a missing package', async () => {
    const absent = async (): Promise<never> => {
      throw notFound('@agentkit/providers-groq')
    }
    await expect(importProvider('groq', absent)).rejects.toMatchObject({
      code: 'missing-package',
      provider: 'groq',
      message: 'The package @agentkit/providers-groq is not installed. Run: npm i @agentkit/providers-groq',
    })
  })

  it('does not report the package when one of its dependencies is missing', async () => {
    const error = notFound('groq-sdk')
    const broken = async (): Promise<never> => {
      throw error
    }
    await expect(importProvider('groq', broken)).rejects.toBe(error)
  })
})

/** The error of Node. */
function notFound(name: string): Error {
  const message = `Cannot find package '${name}' imported from /app/node_modules/@agentkit/providers-groq/dist/index.js`
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
}
