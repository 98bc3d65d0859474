import { once } from 'node:events'
import { terminalText } from '@agentkit/core'
import { agentIdFrom, counted, nearestWord, type RetrievalTool, retrievalTools } from '@agentkit/core/internal'
import type { Retriever } from '@agentkit/retriever'
import { Command } from 'commander'
import type { AgentTable } from '../config/config-keys.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import type { KnowledgeOptions } from '../knowledge/knowledge-options.ts'
import { emptyLine, progressLine, reportLines } from '../knowledge/sync-lines.ts'
import { isProviderId } from '../models/providers.ts'
import { definedOnly } from '../util/defined-only.ts'
import { checkFile } from './common/agent-file.ts'
import { choice, oneOf } from './common/choice.ts'
import { print, printError } from './common/print.ts'
import { openProgress } from './common/progress.ts'
import { UsageError } from './common/usage-error.ts'
import { wholeNumber } from './common/whole-number.ts'

type IndexOptions = {
  config?: string
  agent?: string
  folder?: string
  indexPath?: string
  tool?: RetrievalTool
  ext?: string[]
  verify?: boolean
}

/** `agentkit index`: the index of an agent's files, from the terminal. */
export function indexCommand(): Command {
  const index = new Command('index').addHelpText('afterAll', examples)
  withOptions(index)
    .option('--verify', 'check the index afterwards')
    .action((options: IndexOptions) => withRetriever(options, (it) => sync(it, options)))
  withOptions(index.command('status').description('lists the indexed files and those that cannot be read'))
    .option('--verify', 'check the index')
    .action((_, command: Command) =>
      withRetriever(command.optsWithGlobals(), (it) => status(it, command.optsWithGlobals())),
    )
  withOptions(index.command('search').description('prints the passages that a search finds').argument('<query...>'))
    .option('--limit <count>', 'the maximum number of passages', wholeNumber('--limit', 1, 1_000), 5)
    .action((words: string[], { limit }: { limit: number }, command: Command) =>
      withRetriever(command.optsWithGlobals<IndexOptions>(), (it, { folder }) =>
        search(it, words.join(' '), { limit, folder }),
      ),
    )
  return index
}

const examples = `
Examples:
  agentkit index                                     of the agent that retrieves, or [defaults]
  agentkit index --folder manuals --ext .md .pdf --verify
  agentkit index status --agent librarian
  agentkit index search how many days of holiday

Exit codes: 0 done, 1 failed, or --verify finds a problem, 2 wrong usage, 130 Ctrl-C.`

function withOptions(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration (default: agentkit_config.toml)')
    .option(
      '--agent <name>',
      'the agent whose table is used (default: the only one with retrieve = true, else [defaults])',
    )
    .option('--folder <path>', 'the files')
    .option('--index-path <path>', 'the folder of the index')
    .addOption(choice('--tool <name>', 'how files are indexed', retrievalTools))
    .option('--ext <extensions...>', 'only these extensions, for example .md .pdf')
}

async function withRetriever(
  options: IndexOptions,
  work: (retriever: Retriever, options: IndexOptions) => Promise<void>,
): Promise<void> {
  if (options.config !== undefined) checkFile(options.config, 'Pass the TOML file.')
  const { SDKContext } = await import('../config/sdk-context.ts')
  const context = new SDKContext(definedOnly({ configPath: options.config }))
  try {
    await work(await open(options, context), options)
  } finally {
    await context.close()
  }
}

async function open({ agent, folder, indexPath, tool, ext }: IndexOptions, context: SDKContext): Promise<Retriever> {
  // A retriever creates a missing folder; on the command line it is probably misspelt.
  if (folder !== undefined) checkFile(folder, '', { kind: 'folder' })
  await checkExts(ext ?? [])
  const settings = agent === undefined ? usualSettings(context) : tableOf(agent, context)
  const { sharedRetriever } = await import('../knowledge/agent-knowledge.ts')
  const { findModel } = await import('../models/model-name.ts')
  const models = [settings.model ?? []].flat()
  const providers = models.map((name) => findModel(name, context.config.providers).provider).filter(isProviderId)
  const knowledge: KnowledgeOptions = definedOnly({
    retrievalTool: tool,
    requiredExts: ext,
    retriever: definedOnly({ folder, indexPath }),
  })
  return sharedRetriever(knowledge, settings, providers, context).load()
}

/** Extensions with or without their dot. @throws UsageError with the most similar one */
async function checkExts(exts: readonly string[]): Promise<void> {
  const { readableExts } = await import('../config/config-values.ts')
  for (const ext of exts) oneOf('--ext', `.${ext.replace(/^\./, '').toLowerCase()}`, readableExts)
}

/** The settings of the only agent with `retrieve = true`, so that its own index is updated; otherwise `[defaults]`. */
function usualSettings(context: SDKContext): AgentTable {
  const { agents, defaults } = context.config
  const [first, second] = [...agents].filter(([, { retrieve }]) => retrieve === true)
  return first && !second && defaults.retrieve !== true ? tableOf(first[0], context) : defaults
}

/** An agent needs no table, but `--agent` names one that exists. */
function tableOf(name: string, context: SDKContext): AgentTable {
  const agent = { name, id: agentIdFrom(name, undefined) }
  const { agents, path } = context.config
  if (agents.has(agent.name) || agents.has(agent.id)) return context.settingsOf(agent)
  const nearest = nearestWord(name, [...agents.keys()])
  const tables = [...agents.keys()].map((table) => `[${table}]`).join(', ')
  const hint = nearest === undefined ? `There are: ${tables}.` : `Did you mean "${nearest}"?`
  const fix = tables ? hint : 'There are no tables: leave out --agent.'
  const where = path === undefined ? 'There is no agentkit_config.toml' : `${path} has no table for the agent "${name}"`
  throw new UsageError(`${where}. ${fix}`)
}

async function sync(retriever: Retriever, { verify, folder }: IndexOptions): Promise<void> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  process.once('SIGINT', abort)
  const progress = openProgress('Reading the files')
  try {
    const report = await retriever.sync({
      signal: stop.signal,
      onProgress: (done) => progress.update(progressLine(done)),
    })
    progress.close()
    for (const line of reportLines(report)) print(line)
    const { indexed, removed, unchanged, chunks } = report
    const empty = emptyLine(report, retriever.folder)
    if (empty !== undefined) print(folder === undefined ? `${empty} ${folderOfCode}` : empty)
    else if (indexed + removed === 0) print(`No changes: ${counted(unchanged, 'file')}, ${counted(chunks, 'passage')}.`)
    // The end of the process would interrupt the maintenance of the index.
    await Promise.race([retriever.tidied(), once(stop.signal, 'abort')])
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    progress.close()
    process.off('SIGINT', abort)
  }
  if (stop.signal.aborted) {
    process.stderr.write('Stopped. The finished files are stored; the next agentkit index continues from there.\n')
    // The exit code of a process that Ctrl-C has ended.
    process.exitCode = 130
  } else if (verify) await verifyIndex(retriever)
}

async function status(retriever: Retriever, { verify, folder }: IndexOptions): Promise<void> {
  const records = await retriever.records()
  for (const { file, status, reason, chunks, characters, stale } of records) {
    const facts = chunks > 0 ? `${counted(chunks, 'passage')}, ${counted(characters, 'character')}` : 'not searchable'
    const note =
      status === 'ok' ? '' : ` (${status}${stale ? ', an earlier version is searchable' : ''}: ${reason ?? ''})`
    print(`${file}: ${facts}${note}`)
  }
  const readable = records.filter(({ chunks }) => chunks > 0)
  print(`${counted(records.length, 'file')}, ${readable.length} searchable. Update the index with: agentkit index`)
  if (records.length === 0) printFolder(retriever, folder)
  if (verify) await verifyIndex(retriever)
}

/** The command runs no code of the project, so it does not know the `retriever` of an agent. */
const folderOfCode = 'A folder that is set in code is passed by --folder and --index-path.'

/** @param passed the folder of `--folder` */
function printFolder({ folder }: Retriever, passed: string | undefined): void {
  if (passed === undefined) print(`The files are those of ${folder}. ${folderOfCode}`)
}

async function verifyIndex(retriever: Retriever): Promise<void> {
  const problems = await retriever.verify()
  for (const problem of problems) print(problem)
  if (problems.length === 0) print('The index is valid.')
  else process.exitCode = 1
}

async function search(
  retriever: Retriever,
  query: string,
  { limit, folder }: { limit: number; folder: string | undefined },
): Promise<void> {
  if (query.trim() === '') throw new UsageError('The query is empty. Pass words: agentkit index search days of holiday')
  const { placeOf } = await import('@agentkit/retriever')
  const hits = await retriever.search(query, { limit, onWarning: printError })
  if (hits.length === 0) {
    print('No matches. To update the index, run: agentkit index')
    printFolder(retriever, folder)
  }
  for (const [index, hit] of hits.entries()) {
    print(`[${index + 1}] ${placeOf(hit)} (${hit.start}–${hit.end})`)
    process.stdout.write(`${terminalText(hit.quote)}\n\n`)
  }
}
