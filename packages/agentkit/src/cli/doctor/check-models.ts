import { isAgentKitError, type Model } from '@agentkit/core'
import { nearestWord } from '@agentkit/core/internal'
import { importProvider } from '../../models/import-provider.ts'
import { modelListRequest } from '../../models/list-models.ts'
import { defaultModel } from '../../models/named-model.ts'
import { openaiOptions } from '../../models/named-provider.ts'
import {
  isProviderId,
  keyOf,
  keyVariables,
  needsKey,
  type ProviderId,
  providerIds,
  variable,
} from '../../models/providers.ts'
import { keyProblem } from './key-form.ts'
import { type ListedModels, listModels } from './listed-models.ts'
import { type CheckResult, merged, type NamedModel, type Project } from './project.ts'

/** Keys: set, and in the form of their provider. They are never printed. */
export function checkKeys({ config, configError, models, embedding }: Project): CheckResult {
  const findings: CheckResult[] = []
  const used = embedding ? [...models, embedding] : models
  for (const provider of usedProviders(used)) {
    const variables = keyVariables[provider]
    const name = variables.find((one) => variable(one) !== undefined)
    if (name === undefined && needsKey(provider)) {
      const users = used.filter((model) => model.provider === provider).map(({ name }) => `"${name}"`)
      const detail = `No key for ${provider}, which ${[...new Set(users)].join(', ')} needs: set ${variables.join(' or ')}.`
      findings.push({ status: 'fail', detail, fix: `echo '${variables.at(-1)}=…' >> .env` })
    } else if (name !== undefined) findings.push(keyFinding(name, provider))
  }
  for (const { name, keyVariable } of config.providers.values()) {
    if (keyVariable === undefined) continue
    const isSet = variable(keyVariable) !== undefined
    const detail = isSet ? `${keyVariable} is set.` : `No key for ${name}: set ${keyVariable}.`
    findings.push({ status: isSet ? 'ok' : 'fail', detail, ...(!isSet && { fix: `echo '${keyVariable}=…' >> .env` }) })
  }
  if (models.length > 0)
    return merged(findings, { status: 'ok', detail: 'The models of the configuration need no key.' })
  // A key that is set is used by a file that names its model.
  const isDefault = keyOf('openai') !== undefined
  for (const provider of providerIds) {
    const name = keyVariables[provider].find((one) => variable(one) !== undefined)
    if (name !== undefined) findings.push(keyFinding(name, provider))
  }
  if (configError) return merged(findings, { status: 'skipped', detail: 'The configuration cannot be read.' })
  if (!isDefault) {
    const detail = `No model is configured, and no key for the default one, ${defaultModel}: the commands answer by offline/extractive.`
    findings.push({ status: 'warn', detail, fix: "echo 'OPENAI_API_KEY=…' >> .env" })
  }
  return merged(findings, { status: 'ok', detail: 'A key is set.' })
}

function keyFinding(name: string, provider: ProviderId): CheckResult {
  const problem = keyProblem(process.env[name] ?? '', provider)
  if (problem === undefined) return { status: 'ok', detail: `${name} is set.` }
  return { ...problem, detail: `${name} ${problem.detail}`, fix: `Correct ${name} in .env.` }
}

function usedProviders(models: readonly NamedModel[]): ProviderId[] {
  return [...new Set(models.filter(({ named }) => !named).map(({ provider }) => provider))].filter(isProviderId)
}

/** Names of models, their prices and windows, by the tables of the providers' packages. */
export async function checkModels({ models, config }: Project): Promise<CheckResult> {
  const all = models.length === 0 && keyOf('openai') !== undefined ? [defaultNamed(config.defaults)] : models
  const findings = await Promise.all(all.map(modelFinding))
  return merged(findings, { status: 'ok', detail: 'No model is configured.' })
}

function defaultNamed(settings: NamedModel['settings']): NamedModel {
  const [provider = '', model = ''] = defaultModel.split('/')
  return { name: defaultModel, provider, model, settings }
}

async function modelFinding({ name, provider, model, named }: NamedModel): Promise<CheckResult> {
  let loaded: Model
  try {
    const factory = await importProvider(named ? 'openai' : (provider as ProviderId)) // all others are built in
    // Nothing is called: all packages but that of the stand-in need some key to make the model.
    const key = provider !== 'offline' && { apiKey: 'none' }
    loaded = factory({ ...(named && openaiOptions(named)), ...key }).model(model)
  } catch (error) {
    if (isAgentKitError(error) && error.code === 'missing-package') {
      return { status: 'skipped', detail: `${name}: its package is not installed.` }
    }
    throw error
  }
  const info = { ...loaded.info, ...named?.models?.get(model)?.info }
  const { contextWindow, price } = info
  const facts = [
    ...(contextWindow === undefined ? [] : [`${contextWindow.toLocaleString('en')} tokens`]),
    ...(price ? [`$${price.inputUsdPerMillion} and $${price.outputUsdPerMillion} per million (${price.asOf})`] : []),
  ]
  if (facts.length > 0) return { status: 'ok', detail: `${name}: ${facts.join(', ')}.` }
  // These have models of their own names.
  if (named || ['azure', 'ollama', 'offline'].includes(provider))
    return { status: 'ok', detail: `${name} is not priced.` }
  return {
    status: 'warn',
    detail: `${name} is not among the known models: it has no price and no window.`,
    fix: 'Correct `model` in agentkit_config.toml.',
  }
}

/** Whether each provider answers, accepts the key, and has the models. No model is called. */
export async function checkProviders(project: Project, signal: AbortSignal): Promise<CheckResult> {
  if (project.isOffline) return { status: 'skipped', detail: 'Not asked, because of --offline.' }
  const { models, config, embedding } = project
  const chat = models.length === 0 && keyOf('openai') !== undefined ? [defaultNamed(config.defaults)] : models
  const all = embedding ? [...chat, embedding] : chat
  const providers = [...new Set(all.map(({ provider }) => provider))]
  const findings = await Promise.all(
    providers.map((name) =>
      providerFinding(
        all.filter(({ provider }) => provider === name),
        signal,
      ),
    ),
  )
  return merged(findings.flat(), { status: 'skipped', detail: 'No provider with a server is configured.' })
}

async function providerFinding(models: readonly NamedModel[], signal: AbortSignal): Promise<CheckResult[]> {
  const [first] = models
  if (!first) return []
  const { provider, named, settings } = first
  const isKeyless = named?.keyVariable === undefined
  if (!named && needsKey(provider as ProviderId) && keyOf(provider as ProviderId) === undefined) {
    return [{ status: 'skipped', detail: `${provider} was not asked, without a key.` }]
  }
  const request = modelListRequest(named ?? (provider as ProviderId), settings.ollama_server_url)
  if (!request) return []
  const listed = await listModels(request, signal)
  if (listed.type === 'models') return [missingFinding(provider, models, listed)]
  const place = new URL(request.url).origin
  if (listed.type === 'refused') {
    const variables = named ? [named.keyVariable ?? ''] : [...keyVariables[provider as ProviderId]]
    const name = variables.find((one) => variable(one) !== undefined) ?? variables[0] ?? 'the key'
    const which = named && isKeyless ? 'calls without a key' : `the key in ${name}`
    return [
      { status: 'fail', detail: `${provider} refuses ${which} (${listed.status}).`, fix: `Correct ${name} in .env.` },
    ]
  }
  if (listed.type === 'unreachable') {
    const detail = `${provider} does not answer at ${place}: ${listed.reason}.`
    const fix = provider === 'ollama' ? 'ollama serve' : `curl -I ${place}`
    return [
      {
        status: 'fail',
        detail: provider === 'ollama' ? `${detail} Start it, or correct ollama_server_url.` : detail,
        fix,
      },
    ]
  }
  // Some servers with the API of OpenAI list no models.
  return [
    {
      status: 'warn',
      detail: `${provider} answers at ${place}, and lists no models (${listed.status}).`,
      fix: `curl -I ${place}`,
    },
  ]
}

function missingFinding(
  provider: string,
  models: readonly NamedModel[],
  { ids }: Extract<ListedModels, { type: 'models' }>,
): CheckResult {
  // Deployments of Azure have names of their own, which its list does not have.
  const missing = provider === 'azure' ? [] : models.filter(({ model }) => !ids.some((id) => isSame(id, model)))
  const [first] = missing
  if (!first)
    return {
      status: 'ok',
      detail: `${provider} answers, accepts the key, and has ${models.map(({ model }) => model).join(', ')}.`,
    }
  const nearest = nearestWord(first.model, ids)
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const detail = `${provider} does not list "${missing.map(({ model }) => model).join('", "')}".${hint}`
  const fix = provider === 'ollama' ? `ollama pull ${first.model}` : 'Correct `model` in agentkit_config.toml.'
  return { status: provider === 'ollama' ? 'fail' : 'warn', detail, fix }
}

/** Gemini lists `models/<id>`, Ollama `<id>:latest`. */
function isSame(listed: string, model: string): boolean {
  return listed === model || listed === `models/${model}` || listed === `${model}:latest`
}
