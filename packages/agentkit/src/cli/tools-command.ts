import { existsSync, statSync } from 'node:fs'
import { counted } from '@agentkit/core/internal'
import type { ManifestBuild, ManifestCheck } from '@agentkit/functions/manifest'
import { Command } from 'commander'
import { checkFile } from './common/agent-file.ts'
import { print, printError } from './common/print.ts'
import { pinsCommand } from './pins-command.ts'

/** The options of both commands. */
type ToolsOptions = { out?: string; strict?: boolean }

/** `agentkit tools build` and `agentkit tools check`. The compiler is loaded when one of them runs. */
export function toolsCommand(): Command {
  const tools = new Command('tools').addHelpText('afterAll', examples)
  tools
    .command('build')
    .description('compiles the exported functions of files, and writes one module that attaches their tools')
    .argument('<patterns...>', patternsHelp)
    .option('--out <file>', "the module to write (default: agentkit-tools.ts in the patterns' folder)")
    .option('--strict', 'treat warnings as errors')
    .action((patterns: string[], options: ToolsOptions) => build(patterns.map(unquoted), options))
  tools
    .command('check')
    .description('fails when a module of agentkit tools build is out of date')
    .argument('[patterns...]', `${patternsHelp} (default: those of the module)`)
    .option('--out <file>', 'the module to check (default: every agentkit-tools module in this folder)')
    .option('--strict', 'treat warnings as errors')
    .action((patterns: string[], options: ToolsOptions) => check(patterns.map(unquoted), options))
  tools.addCommand(pinsCommand())
  return tools
}

const examples = `
Examples:
  agentkit tools build 'src/**/*.ts'
  agentkit tools build src/functions.ts --out src/tools.ts --strict
  agentkit tools check                               in CI
  agentkit tools pins accept github                  takes the tools of [mcp.github] as they are now

Exit codes: 0 done, 1 a function that is not a tool, or a module that is out of date, 2 wrong usage.`

const patternsHelp = "patterns such as 'src/**/*.ts', files and folders; !pattern excludes"

/** Windows passes single quotes on with the pattern. */
function unquoted(pattern: string): string {
  return pattern.replace(/^'(.+)'$/, '$1')
}

/** A pattern without special characters is a path. */
function checkPaths(patterns: readonly string[]): void {
  for (const path of patterns.filter((pattern) => !/[*?[\]{}!]/.test(pattern))) {
    if (!existsSync(path)) checkFile(path, 'Pass files, folders or patterns.')
  }
}

async function build(patterns: string[], options: ToolsOptions): Promise<void> {
  checkPaths(patterns)
  const { buildManifest } = await import('@agentkit/functions/manifest')
  const result = buildManifest({ patterns, ...options })
  report(result)
  if (result.problems.length > 0) return fail('Nothing was written.')
  print(`${result.file}: ${counted(result.functions, 'tool')}.`)
  if (patterns.length > 1 && patterns.every(isFile)) {
    print(
      "The module covers the named files only, so `check` finds no new ones. Quote a pattern to include them: 'src/**/*.ts'.",
    )
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

async function check(patterns: string[], options: ToolsOptions): Promise<void> {
  checkPaths(patterns)
  if (options.out !== undefined) checkFile(options.out, 'Write it with agentkit tools build.')
  const { checkManifest } = await import('@agentkit/functions/manifest')
  for (const result of checkManifest({ patterns, ...options })) {
    const { file, functions, problems, differences, command } = result
    report(result)
    if (problems.length > 0) fail(`${file} cannot be built.`)
    else if (differences.length === 0) print(`${file} is up to date: ${counted(functions, 'tool')}.`)
    else fail(`${file} is out of date:`, ...differences.map((line) => `  ${line}`), `run: ${command}`)
  }
}

function report({ problems, warnings }: ManifestBuild | ManifestCheck): void {
  for (const warning of warnings) printError(`warning: ${warning}`)
  for (const problem of problems) printError(problem)
}

function fail(...lines: string[]): void {
  for (const line of lines) printError(line)
  process.exitCode = 1
}
