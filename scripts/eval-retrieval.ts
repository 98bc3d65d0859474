// The quality of each retrieval tool, on test collections that are not part of the repository:
//
//   npm run eval:retrieval -- <folder>…       each with docs.jsonl {id, title?, text}, queries.jsonl {id, text},
//                                             qrels.jsonl {query, doc, rel}
//     --tool=basic,localstore                 only these tools; both by default
//     --embedder=random,constant,hashed,oracle   also beside these embedders, which need no network
//     --max=200                               only the first documents, for a quick test
//     --json                                  for programs
//     --plot=quality.svg                      also draws nDCG@10 and recall@10
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isAgentKitError, terminalLine, terminalText } from '@agentkit/core'
import { barChart } from './bar-chart.ts'
import { readCollection } from './eval-retrieval/collection.ts'
import { type Evaluation, evaluate, type Tool } from './eval-retrieval/evaluate.ts'
import { fakeEmbedders } from './eval-retrieval/fake-embedders.ts'
import { printTable } from './eval-retrieval/print-table.ts'

/** Evaluates by the options of the command line. @throws Error for invalid options or collections */
export async function evalRetrieval(args: string[], notice: (line: string) => void): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      tool: { type: 'string', default: 'basic,localstore' },
      embedder: { type: 'string', default: '' },
      max: { type: 'string' },
      json: { type: 'boolean', default: false },
      plot: { type: 'string' },
    },
  })
  if (positionals.length === 0) throw new Error('Name the folders of collections: npm run eval:retrieval -- <folder>…')
  const tools = listOf(values.tool, ['basic', 'localstore'] satisfies Tool[], '--tool')
  const embedders = listOf(values.embedder, Object.keys(fakeEmbedders), '--embedder')
  const most = values.max === undefined ? undefined : Number(values.max)
  if (most !== undefined && !(Number.isInteger(most) && most > 0)) throw new Error('--max is a number of documents.')
  // npm runs this in the repository; the folders are relative to the user's directory.
  const folders = positionals.map((folder) => resolve(process.env.INIT_CWD ?? '.', folder))
  const collections = folders.map((folder) => readCollection(folder, most))

  const rows: Evaluation[] = []
  for (const collection of collections) {
    for (const tool of tools) {
      for (const name of ['', ...embedders]) {
        notice(`${collection.name}, ${tool}${name && `, ${name}`} …`)
        try {
          rows.push(await evaluate(collection, tool, fakeEmbedders[name]?.(collection)))
        } catch (error) {
          if (!isAgentKitError(error) || error.code !== 'missing-package') throw error
          notice(`${tool} is left out: ${error.message}`)
          break
        }
      }
    }
  }
  if (values.plot !== undefined) writeFileSync(resolve(process.env.INIT_CWD ?? '.', values.plot), plot(rows))
  return values.json ? JSON.stringify(rows, undefined, 2) : printTable(rows)
}

function plot(rows: readonly Evaluation[]): string {
  const groups = rows.map(({ collection, tool, embedder, ndcg, recall }) => ({
    label: [collection, tool, ...(embedder === 'none' ? [] : [embedder])].join(', '),
    bars: [
      { name: 'nDCG@10', value: ndcg },
      { name: 'recall@10', value: recall },
    ],
  }))
  const note = `${new Date().toISOString().slice(0, 10)}; more is better, 1 is the most`
  return barChart({ title: 'Quality of retrieval', note, groups, digits: 3 })
}

function listOf<Name extends string>(value: string, names: readonly Name[], option: string): Name[] {
  const isName = (part: string): part is Name => names.some((name) => name === part)
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      if (isName(part)) return part
      throw new Error(`${option} knows no "${part}". There are: ${names.join(', ')}.`)
    })
}

if (import.meta.main) {
  try {
    console.log(terminalText(await evalRetrieval(process.argv.slice(2), (line) => console.error(terminalLine(line)))))
  } catch (error) {
    console.error(error instanceof Error ? terminalLine(error.message) : error)
    process.exitCode = 1
  }
}
