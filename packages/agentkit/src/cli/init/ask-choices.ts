import { confirm, isCancel, multiselect, select } from '@clack/prompts'
import { keyVariables, type ProviderId, providerIds } from '../../models/providers.ts'
import { packageManager, packageManagers } from '../common/package-manager.ts'
import type { Choices } from './choices.ts'
import { templates } from './templates.ts'

const templateHints = {
  agent: 'one agent with a typed function',
  swarm: 'a team of two agents',
  files: 'an agent that answers from files, with citations',
} as const

/**
 * Asks for the choices that are not given.
 * @returns `undefined` when the user cancels
 */
export async function askChoices(
  given: Partial<Choices>,
  { installs, folder }: { installs: boolean; folder: string },
): Promise<{ given: Partial<Choices>; installs: boolean } | undefined> {
  const providers: readonly ProviderId[] | symbol = given.providers ?? (await askProviders())
  if (typeof providers === 'symbol') return undefined
  const template =
    given.template ??
    (await select({
      message: 'What is the agent?',
      options: templates.map((value) => ({ value, label: value, hint: templateHints[value] })),
    }))
  if (isCancel(template)) return undefined
  const manager =
    given.manager ??
    (await select({
      message: 'Which package manager?',
      options: packageManagers.map((value) => ({ value, label: value })),
      initialValue: packageManager(folder),
    }))
  if (isCancel(manager)) return undefined
  const answer = installs ? await confirm({ message: `Install the packages with ${manager}?` }) : false
  if (isCancel(answer)) return undefined
  return { given: { ...given, providers, template, manager }, installs: answer }
}

function askProviders(): Promise<ProviderId[] | symbol> {
  return multiselect<ProviderId>({
    message: 'Whose models? (space selects, the first is the agent’s)',
    options: providerIds.map((value) => ({ value, label: value, hint: hintOf(value) })),
    initialValues: ['openai'],
    required: true,
  })
}

function hintOf(provider: ProviderId): string {
  if (provider === 'offline') return 'no language model: for trying, without a key'
  // The variable that is written into .env.
  return keyVariables[provider].at(-1) ?? 'no key'
}
