import { isAgentKitError, terminalLine, terminalText } from '@agentkit/core'
import type { EvalReport, EvalRun, EvaluateOptions } from '@agentkit/evals/internal'
import { Command } from 'commander'
import { checkFile } from './common/agent-file.ts'
import { interruptible } from './common/interrupt.ts'
import { printError } from './common/print.ts'
import { openProgress } from './common/progress.ts'
import { takeStdout } from './common/stdout.ts'
import { checkScorers, type LeastMean, leastMean } from './least-mean.ts'
import type { LoadedEval } from './load-eval.ts'
import { withStoreOptions } from './runs-command.ts'

type EvalOptions = {
  json?: boolean
  junit?: string
  html?: string
  record?: boolean
  fresh?: boolean
  failUnder?: LeastMean[]
}

/** `agentkit eval evals/support.ts`: runs an eval, and prints its report. */
export function evalCommand(): Command {
  const command = new Command('eval')
  command
    .argument('<file>', 'the file of the eval: its default export is the options of `evaluate`')
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--html <file>', 'write the report as an HTML page')
    .option('--record', 'call the models, and record them into the cassette of the eval')
    .option('--fresh', 'make every run again, also those with a stored result')
    .option('--fail-under <scorer=mean>', 'exit with 1 only when a mean is lower; may be repeated', leastMean)
    .addHelpText('afterAll', examples)
    .action((file: string, options: EvalOptions) => runFile(command, file, options))
  withStoreOptions(
    command
      .command('add')
      .description('appends a stored run to a file of cases')
      .argument('<runId>', 'the id of the run')
      .requiredOption('--to <file>', 'the .jsonl file of the cases'),
  ).action(async (...words: Parameters<typeof import('./add-case.ts').addCase>) => {
    const { addCase } = await import('./add-case.ts')
    await addCase(...words)
  })
  return command
}

const examples = `
Examples:
  agentkit eval evals/support.ts --html evals.html
  agentkit eval evals/support.ts --record                                   # calls the models, and writes the cassette
  agentkit eval evals/support.ts --fail-under judge=0.8 --junit evals.xml   # in CI
  agentkit eval add run_7f… --to evals/support.jsonl

Exit codes: 0 all passed, 1 a case or a mean failed, 2 wrong usage, 130 Ctrl-C.`

async function runFile(command: Command, file: string, options: EvalOptions): Promise<void> {
  const commands = command.commands.map((one) => one.name())
  checkFile(file, 'Pass a file whose default export is the options of `evaluate`.', { commands })
  const { importEvals } = await import('../util/import-optional.ts')
  const { loadEval } = await import('./load-eval.ts')
  const { runEval, reportLines, reportPieces, writeHtml, writeJunit } = await importEvals()
  const { signal, code } = interruptible()
  const output = takeStdout()
  let loaded: LoadedEval | undefined
  let run: EvalRun
  try {
    loaded = await loadEval(file, options.record === true)
    checkScorers(options.failUnder ?? [], loaded.options)
    const progress = openProgress(`Running ${file}`)
    run = await runEval(evalOptions(loaded.options, options, signal), (state) =>
      progress.update(progressOf(state)),
    ).finally(progress.close)
  } catch (error) {
    const interrupted = code()
    if (interrupted === undefined) throw error
    const isTaped = loaded?.options.cassette !== undefined
    const next = isTaped
      ? 'With a cassette the same command begins again; an earlier recording is kept.'
      : 'Results so far are kept: the same command continues.'
    printError(`Stopped. ${next}`)
    process.exitCode = interrupted
    return
  } finally {
    await loaded?.close()
  }
  const { report, results } = run
  // The report is printed first, because the runs were paid for, and a file may not be writable.
  if (options.json) for (const piece of reportPieces(report)) await output.write(terminalText(piece))
  else {
    const { textWidth } = await import('./common/text-width.ts')
    const look = { shown: terminalLine, widthOf: textWidth, columns: process.stdout.columns }
    for (const line of reportLines(report, look)) await output.write(`${line}\n`)
  }
  process.exitCode = isGood(report, options.failUnder) ? 0 : 1
  await written(options.junit, (path) => writeJunit(path, report, results))
  await written(options.html, (path) => writeHtml(path, report, run))
}

/** Says which file cannot be written; the others are. */
async function written(path: string | undefined, write: (path: string) => Promise<void>): Promise<void> {
  try {
    if (path !== undefined) await write(path)
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    printError(error.message)
    process.exitCode = 1
  }
}

function evalOptions(own: EvaluateOptions, { fresh }: EvalOptions, stop: AbortSignal): EvaluateOptions {
  const signal = own.signal ? AbortSignal.any([own.signal, stop]) : stop
  return { ...own, signal, ...(fresh && { fresh }) }
}

/** Without `--fail-under` each case must pass; with it only the means decide. */
function isGood({ results, variants }: EvalReport, least: readonly LeastMean[] | undefined): boolean {
  if (least === undefined) return results.every(({ passed }) => passed)
  let isGood = true
  for (const [variant, { scores }] of Object.entries(variants)) {
    for (const { scorer, mean } of least) {
      const found = scores[scorer]?.mean ?? Number.NaN
      // A mean of no scores, NaN, is missed too; ten scores of 0.1 have a mean of 0.09999999999999999.
      if (found >= mean - 1e-9) continue
      isGood = false
      const shown = Number.isNaN(found) ? 'has no score' : `has a mean of ${found.toFixed(3)}`
      printError(`${variant}: ${scorer} ${shown}, and --fail-under asks for ${mean}.`)
    }
  }
  return isGood
}

function progressOf({ done, runs, reused }: { done: number; runs: number; reused: number }): string {
  const note = reused > 0 ? `, ${reused} of them stored` : ''
  return `${done} of ${runs} runs${note}`
}
