import { defaultModel } from '../../models/named-model.ts'
import { keyVariables, type ProviderId } from '../../models/providers.ts'
import { agentSources } from './agent-sources.ts'
import type { Choices } from './choices.ts'

export type ProjectFile = { name: string; text: string; mode?: number }

/**
 * The files of a project, apart from package.json and .gitignore.
 * @param hasTest whether `npm test` is a command of the project's own: it need not run a test for `node --test`
 */
export function projectFiles(choices: Choices, hasTest: boolean): ProjectFile[] {
  const { providers, template, manager } = choices
  const { agent, test, knowledge } = agentSources(template)
  return [
    { name: 'agent.ts', text: agent },
    ...(hasTest ? [] : [{ name: 'agent.test.ts', text: test }]),
    { name: 'agentkit_config.toml', text: configOf(choices) },
    { name: '.env.example', text: environmentOf(providers, true) },
    { name: '.env', text: environmentOf(providers, false), mode: 0o600 },
    { name: 'tsconfig.json', text: tsconfig },
    { name: 'AGENTS.md', text: agentsGuide(hasTest) },
    ...(knowledge === undefined ? [] : [{ name: 'files/handbook.md', text: knowledge }]),
    // Without it yarn 4 makes no node_modules, which Node needs to find the compiler of typed functions.
    ...(manager === 'yarn' ? [{ name: '.yarnrc.yml', text: 'nodeLinker: node-modules\n' }] : []),
  ]
}

function configOf({ model, template }: Choices): string {
  const lines = [
    '[defaults]',
    model === undefined
      ? `# model = "${defaultModel}" # the default; without a key the commands answer by offline/extractive`
      : `model = ${JSON.stringify(model)}`,
    'max_steps = 20',
    ...(template === 'files' ? ['retrieve = true', '', '[retriever]', 'folder = "files"'] : []),
    '',
    '[server]',
    'port = 8000',
  ]
  return `${lines.join('\n')}\n`
}

/** The variables of all providers: with comments for the example, empty for `.env`. */
function environmentOf(providers: readonly ProviderId[], isExample: boolean): string {
  const lines = providers.flatMap((provider) => {
    const variables = variablesOf(provider).map((name) => `${name}=`)
    return variables.length > 0 && isExample ? [`# The key of ${provider}.`, ...variables] : variables
  })
  if (lines.length > 0) return `${lines.join('\n')}\n`
  return isExample ? '# No provider of this project needs a key.\n' : ''
}

/** The variables that a provider needs; one without a key needs none. */
export function variablesOf(provider: ProviderId): string[] {
  const key = keyVariables[provider].at(-1)
  if (key === undefined) return []
  return provider === 'azure' ? [key, 'AZURE_OPENAI_ENDPOINT'] : [key]
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "skipLibCheck": true,
    "types": ["node"]
  },
  "include": ["*.ts"]
}
`

const agentsGuide = (hasTest: boolean): string => `# For coding assistants

- \`agent.ts\` exports the agent. Its functions are tools: their types and docstrings are what the model sees.
- \`agentkit_config.toml\` has models, limits and the server; \`.env\` has keys, and is never committed.
- \`npm run dev\` serves the agent on http://127.0.0.1:8000 and restarts after each change.
- \`npm run chat\` talks with it in the terminal; \`npx agentkit run "…"\` asks one question.
- ${hasTest ? 'Tests of agents have' : '`npm test` runs `*.test.ts`, with'} models that are scripted: no key, no network.
- \`npx tsc\` checks the types; \`npx agentkit doctor\` says what is wrong with the project.
- Imports of own files end in \`.ts\`. Types that Node cannot erase (enums, namespaces) do not run.
- A function that has an effect outside gets \`needsApproval\`, by \`tool()\` of agentkit.
- Errors are AgentKitError, with a \`code\` and a sentence that has the fix.
`
