import { expect, it } from 'vitest'
import { importEvals, importTesting, requirePostgresQueue } from './import-optional.ts'

it('imports the package that records and replays', async () => {
  expect(await importTesting()).toMatchObject({ record: expect.any(Function), replay: expect.any(Function) })
})

it('reports how to install it when it is missing', async () => {
  const absent = async (name: string): Promise<never> => {
    const message = `Cannot find package '${name}' imported from /app/node_modules/agentkit/dist/agent.js`
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  await expect(importTesting(absent)).rejects.toMatchObject({
    code: 'missing-package',
    message: 'The package @agentkit/testing is not installed. Run: npm i -D @agentkit/testing',
  })
})

it('reports how to install evals, of which it imports another entry', async () => {
  const absent = async (): Promise<never> => {
    const message = "Cannot find package '@agentkit/evals' imported from /app/node_modules/agentkit/dist/cli.js"
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  await expect(importEvals(absent)).rejects.toMatchObject({
    code: 'missing-package',
    message: 'The package @agentkit/evals is not installed. Run: npm i -D @agentkit/evals',
  })
})

it('reports how to install the queue in Postgres, with its driver', () => {
  const absent = (name: string): never => {
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
  }
  expect(() => requirePostgresQueue(absent)).toThrow(
    'The package @agentkit/queue-postgres is not installed. Run: npm i @agentkit/queue-postgres pg',
  )
  expect(requirePostgresQueue()).toMatchObject({ postgresQueue: expect.any(Function) })
})

it('passes on any other failure', async () => {
  const error = new Error('Broken')
  await expect(importTesting(() => Promise.reject(error))).rejects.toBe(error)
})
