import { relative, resolve } from 'node:path'
import { isAgentKitError } from '@agentkit/core'
import { keyOf } from '../../models/providers.ts'
import { isTooOld, neededNode } from '../common/needed-node.ts'
import { print, printError } from '../common/print.ts'
import { runProgram } from '../common/run-program.ts'
import { askChoices } from './ask-choices.ts'
import { type Choices, givenChoices, type InitFlags, withDefaults } from './choices.ts'
import { installVariables } from './install-variables.ts'
import { variablesOf } from './project-files.ts'
import { planProject, writeProject } from './write-project.ts'

/**
 * Makes a project in a folder, and installs its packages.
 *
 * @returns the exit code: 1 when the install fails, 130 when the user leaves
 * @throws UsageError for unknown words, and a folder that cannot be one
 */
export async function init(place: string, flags: InitFlags): Promise<number> {
  const folder = resolve(place)
  let given = givenChoices(flags)
  let installs = flags.install
  const asks = flags.yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true
  if (asks) {
    const answers = await askChoices(given, { installs, folder })
    if (!answers) {
      printError('Nothing was written.')
      return 130
    }
    given = answers.given
    installs = answers.installs
  }
  const { choices, lines } = withDefaults(given, folder)
  const plan = planProject(folder, choices, flags.force === true)
  for (const line of asks ? [] : lines) print(line)
  writeProject(plan)
  const shown = relative('', folder) || '.'
  if (plan.files.length > 0) print(`Written in ${shown}: ${plan.files.map(({ name }) => name).join(', ')}.`)
  if (plan.kept.length > 0)
    print(`Kept as they are: ${plan.kept.join(', ')}.${flags.force ? '' : ' (--force writes <name>.new)'}`)
  for (const note of plan.notes) print(note)
  const installed = installs ? await install(choices, folder) : undefined
  printNextSteps(choices, { shown, mustInstall: installed !== true, taken: plan.taken })
  return installed === false ? 1 : 0
}

/** @returns whether it succeeded; the files stay either way */
async function install({ manager }: Choices, folder: string): Promise<boolean> {
  try {
    const code = await runProgram([manager, 'install'], installVariables(manager, folder), { folder })
    if (code === 0) return true
    printError(`${manager} install ended with ${code}. The files are written.`)
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    printError(`${error.message} The files are written.`)
  }
  return false
}

type Place = { shown: string; mustInstall: boolean; taken: readonly string[] }

function printNextSteps({ manager, providers, model }: Choices, { shown, mustInstall, taken }: Place): void {
  // Each shell takes double quotes.
  const enter = shown === '.' ? '' : `cd ${/^[\w./\\-]+$/.test(shown) ? shown : `"${shown}"`} && `
  // A script of that name is the project's own: `npm run dev` of a web page is not an agent.
  const run = (name: string): string =>
    taken.includes(name) ? `npx agentkit ${name}` : `${manager === 'npm' ? 'npm run' : manager} ${name}`
  const { node } = process.versions
  print('')
  if (isTooOld(node))
    print(`Install Node ${neededNode} or newer first: this is ${node}, on which agentkit does not run.`)
  if (mustInstall) print(`Install: ${enter}${manager} install`)
  print(`Talk with it:  ${enter}${run('chat')}`)
  print(`Serve it:      ${enter}${run('dev')}`)
  const [provider] = providers
  if (provider === undefined || keyOf(provider) !== undefined) return
  const variables = variablesOf(provider).join(' and ')
  if (variables === '') return
  if (model === undefined) print(`Without a key it answers offline. For a real model, put ${variables} into .env.`)
  else print(`Put ${variables} into .env first.`)
}
