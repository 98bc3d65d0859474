import { expect, it } from 'vitest'
import { tool } from './define-tool.ts'
import { compileTools } from './toolbox.ts'

it('offers tools without halves of surrogate pairs, for which providers refuse the request', async () => {
  const properties = { straße: { type: 'string', description: 'cut \ud83d', enum: ['\\ud83d', '😀'] } }
  const cut = tool({
    name: 'cut',
    description: 'cut \ud83d',
    input: { type: 'object', properties, required: ['straße'] },
    execute: () => 'done',
  })
  const { specs } = await compileTools(new Map([['cut', cut]]))
  const shown = { straße: { type: 'string', description: 'cut \ufffd', enum: ['\\ud83d', '😀'] } }
  expect(specs).toEqual([
    {
      name: 'cut',
      description: 'cut \ufffd',
      inputSchema: { type: 'object', properties: shown, required: ['straße'] },
    },
  ])
})
