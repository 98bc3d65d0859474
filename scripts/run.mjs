// Runs the scripts of the root's package.json: `node scripts/run.mjs <task> [arguments]`. It needs Node 18 and
// npm. It installs the packages first, and then everything runs on the Node of the optional dependencies.
import { constants } from 'node:os'
import { buildPage } from './build-page.mjs'
import { ensureInstalled } from './install.mjs'
import { release } from './release.mjs'
import { runTests } from './run-tests.mjs'
import { runNode, runServer, runTool } from './toolchain.mjs'

// Our packages resolve to their TypeScript sources, so nothing has to be built to run.
const fromSources = '--conditions=@agentkit/source'

// The example finds files that are put into its folder while it runs, as under `agentkit dev`.
if (process.argv[2] === 'start') process.env.AGENTKIT_DEV ??= '1'

const tasks = {
  install: [],
  page: [buildPage],
  start: [
    buildPage,
    (args) => runServer([fromSources, '--import=agentkit/register', 'apps/example/src/app.ts', ...args]),
  ],
  swarm: [buildPage, (args) => runNode([fromSources, '--import=agentkit/register', 'apps/swarm/src/app.ts', ...args])],
  test: [runTests],
  // The published packages are measured, so they are built first.
  bench: [
    (args) => (asksForHelp(args) ? 0 : runTool('turbo', ['run', 'build', '--output-logs=errors-only'])),
    (args) => runNode(asksForHelp(args) ? ['bench/help.ts'] : ['bench/index.ts', ...args]),
  ],
  'eval:retrieval': [(args) => runNode([fromSources, 'scripts/eval-retrieval.ts', ...args])],
  docs: [(args) => runNode(['scripts/docs-site.ts', ...args])],
  pictures: [buildPage, (args) => runNode([fromSources, 'scripts/pictures.ts', ...args])],
  new: [(args) => runNode(['scripts/new.ts', ...args])],
  derive: [(args) => runNode(['scripts/derive.ts', ...args])],
  build: [(args) => runTool('turbo', ['run', 'build', ...args])],
  fix: [() => runTool('@biomejs/biome', ['check', '--write', '--error-on-warnings', '.'])],
  changeset: [(args) => runTool('@changesets/cli', args)],
}
tasks['check:static'] = [
  () => runTool('@biomejs/biome', ['ci', '--error-on-warnings', '.']),
  () => runTool('typescript', ['-p', 'tsconfig.json']),
  () => runTool('turbo', ['run', 'build', 'check:package', '--output-logs=errors-only']),
]
tasks.check = [...tasks['check:static'], () => runTests([])]
tasks.release = [...tasks.build, release]

const [name = '', ...args] = process.argv.slice(2)
const steps = tasks[name]
if (!steps) fail(`No task "${name}". There are: ${Object.keys(tasks).join(', ')}.`)
if (Number.parseInt(process.versions.node, 10) < 18) fail(`Node 18 or newer is needed; this is ${process.version}.`)

await ensureInstalled()
for (const step of steps) {
  const outcome = await step(args)
  if (typeof outcome === 'string') process.exit(128 + constants.signals[outcome]) // as a shell reports a signal
  if (outcome !== 0) process.exit(outcome)
}

function asksForHelp(args) {
  return args.includes('--help') || args.includes('-h')
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
