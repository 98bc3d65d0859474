// Generates `models.json` of each provider package from the models.dev catalogue: limits, prices, input types.
//
//   node scripts/refresh-models.ts                                      the current catalogue
//   node scripts/refresh-models.ts --from api.json --as-of 2026-11-20   a copy of it
//   node scripts/refresh-models.ts --from pi-ai --as-of 2026-11-10      an unpacked @earendil-works/pi-ai of npm, which
//                                                                       contains it, if models.dev is unreachable
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ModelFacts, ModelTable } from '../packages/wire/src/provider/model-facts.ts'
import { type CatalogueModel, readCatalogue, readPiCatalogue } from './model-catalogue.ts'
import { root } from './workspace-files.ts'

/** The packages with generated tables, by the catalogue's names. OpenAI's table is maintained manually. */
const packages: Readonly<Record<string, string>> = {
  anthropic: 'providers-anthropic',
  azure: 'providers-azure',
  google: 'providers-gemini',
  groq: 'providers-groq',
  mistral: 'providers-mistral',
}

/**
 * Rows where the catalogue differs from the provider's own pages, by model. ai.google.dev/gemini-api/docs/pricing: the
 * introductory prices end on 2026-11-30; the catalogue has the longest answer of requests that do not stream.
 */
const corrections: Readonly<Record<string, ModelFacts>> = {
  'gemini-4-argon': { maxOutputTokens: 65_536, usdPerMillion: [4, 20, 0.2], asOf: '2026-12-01' },
  'gemini-4-carbon': { maxOutputTokens: 65_536, usdPerMillion: [4, 20, 0.2], asOf: '2026-12-01' },
}

/** Models that this wire does not support: Interactions API, built-in tools, speech, embeddings. */
const otherKinds = /^deep-research|computer-use|robotics|live|tts|embed|ocr|moderation|realtime|transcribe|-image/

/** A package's table: current models, sorted by id. */
export function toModelTable(
  models: readonly CatalogueModel[],
  { source, asOf }: Pick<ModelTable, 'source' | 'asOf'>,
): ModelTable {
  const rows = models
    .filter(({ id, writesText, retired }) => writesText && !retired && !otherKinds.test(id))
    .map(({ id, facts }): [string, ModelFacts] => [id, { ...facts, ...corrections[id] }])
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return { source, asOf, models: withoutSnapshots(Object.fromEntries(rows)) }
}

/** A snapshot that equals the undated model is omitted. */
function withoutSnapshots(models: Record<string, ModelFacts>): Record<string, ModelFacts> {
  const same = (id: string, facts: ModelFacts): boolean => {
    const name = id.replace(/-(?:\d{4}-?\d{2}-?\d{2}|latest)$/, '')
    return name !== id && JSON.stringify(models[name]) === JSON.stringify(facts)
  }
  return Object.fromEntries(Object.entries(models).filter(([id, facts]) => !same(id, facts)))
}

/** The table as file content: one model per line, for readable diffs. */
export function printTable({ source, asOf, models }: ModelTable): string {
  const rows = Object.entries(models).map(([id, facts]) => `    ${JSON.stringify(id)}: ${JSON.stringify(facts)}`)
  const head = `  "source": ${JSON.stringify(source)},\n  "asOf": ${JSON.stringify(asOf)},\n`
  return `{\n${head}  "models": {\n${rows.join(',\n')}\n  }\n}\n`
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' }, 'as-of': { type: 'string' } } })
  const { from = 'https://models.dev/api.json', 'as-of': given } = values
  const isLink = /^https?:/.test(from)
  if (!isLink && given === undefined) throw new Error('A copy needs --as-of: the date on which it was made.')
  const asOf = given ?? new Date().toISOString().slice(0, 10)
  const folder = !isLink && statSync(from).isDirectory()
  const source = folder ? `models.dev, as ${nameOf(from)} carries it` : 'models.dev'
  const catalogue = folder ? undefined : isLink ? await (await fetch(from)).json() : readJson(from)
  for (const [provider, name] of Object.entries(packages)) {
    const models = folder
      ? readPiCatalogue(provider, readJson(join(from, 'dist/providers/data', `${provider}.json`)))
      : readCatalogue(provider, catalogue, asOf)
    const text = printTable(toModelTable(models, { source, asOf }))
    writeFileSync(join(root, 'packages', name, 'src/models.json'), text)
    console.log(`${name}: ${models.length} models in the catalogue, ${text.length} bytes`)
  }
}

function nameOf(folder: string): string {
  const { name, version } = readJson(join(folder, 'package.json')) as { name: string; version: string }
  return `${name} ${version}`
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

if (import.meta.main) await main()
