import { expect, it } from 'vitest'
import { useFolder } from '../../__fixtures__/use-folder.ts'
import { namedPackages } from './installed-packages.ts'
import { readProject } from './project.ts'

const folder = useFolder()

it.each([
  ['[defaults]\nmemory = true', ['@agentkit/memory']],
  ['[defaults]\nmemory = true\n[a]\nmemory = false', []],
  ['[a]\nmemory = { days = 30 }', ['@agentkit/memory']],
  ['[defaults]\nmemory = false', []],
  ['[a]\nskills = ["./skills"]', ['@agentkit/skills']],
  ['[defaults]\ntelemetry = "otlp"', ['@agentkit/telemetry']],
  ['[server]\ndialects = ["mcp"]', ['@modelcontextprotocol/server']],
  ['[a]\nmodel = "groq/x"\nretrieve = true', ['@agentkit/providers-groq', '@agentkit/retriever']],
])('the packages that %j needs are %j', (toml, names) => {
  folder.write('agentkit_config.toml', toml)
  expect(namedPackages(readProject('agentkit-data/sessions.db', true)).map(({ name }) => name)).toEqual(names)
})
