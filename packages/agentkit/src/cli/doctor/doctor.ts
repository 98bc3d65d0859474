import { isAgentKitError, terminalLine, terminalText } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'
import { defaultSessionsPath } from '../../config/sdk-context.ts'
import { withProgress } from '../common/progress.ts'
import { takeStdout } from '../common/stdout.ts'
import { checkConfig, checkEnv } from './check-config.ts'
import { checkIndex, checkStore } from './check-data.ts'
import { checkKeys, checkModels, checkProviders } from './check-models.ts'
import { checkDisk, checkNode, checkPackages, checkPackageType } from './check-project.ts'
import { checkMcp, checkServer, checkTelemetry } from './check-services.ts'
import { type Check, type CheckResult, type Project, readProject } from './project.ts'

export type DoctorFlags = { json?: true; offline?: true; sessions?: string }

/** In the order in which they are printed. */
const checks: Readonly<Record<string, Check>> = {
  node: checkNode,
  'package-type': checkPackageType,
  packages: checkPackages,
  config: checkConfig,
  env: checkEnv,
  keys: checkKeys,
  models: ofConfig(checkModels),
  providers: checkProviders,
  store: checkStore,
  index: ofConfig(checkIndex),
  mcp: ofConfig(checkMcp),
  server: ofConfig(checkServer),
  telemetry: ofConfig(checkTelemetry),
  disk: checkDisk,
}

/** How long one check may take; all run at once. */
const checkMs = 8_000

/** Runs all checks, and prints their findings. @returns the exit code: 1 when one fails */
export async function doctor({ json, offline, sessions = defaultSessionsPath }: DoctorFlags): Promise<number> {
  // The output of checks themselves, such as warnings of a package, is not part of the report.
  const output = takeStdout()
  const project = readProject(sessions, offline === true)
  const running = Object.entries(checks).map(async ([id, check]) => ({ id, ...(await bounded(check, project)) }))
  const results = await withProgress('Checking', Promise.all(running))
  const ok = results.every(({ status }) => status !== 'fail')
  const text = json ? `${JSON.stringify({ ok, checks: results })}\n` : reportOf(results)
  await output.write(terminalText(text))
  return ok ? 0 : 1
}

/** A check of the configuration, which is skipped if the configuration cannot be read. */
function ofConfig(check: Check): Check {
  return (project, signal) =>
    project.configError ? { status: 'skipped', detail: 'The configuration cannot be read.' } : check(project, signal)
}

/** A check that fails in a way that it does not know, or takes too long, is reported as any other. */
async function bounded(check: Check, project: Project): Promise<CheckResult> {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // This code uses no newer functions of the language, because an old Node is one of the findings.
  const late = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => {
      stop.abort()
      resolve({ status: 'fail', detail: `The check did not end within ${checkMs / 1000} seconds.` })
    }, checkMs)
  })
  try {
    return safe(await Promise.race([attempt(check, project, stop.signal), late]))
  } finally {
    clearTimeout(timer)
  }
}

async function attempt(check: Check, project: Project, signal: AbortSignal): Promise<CheckResult> {
  try {
    return await check(project, signal)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const command = isAgentKitError(error) ? /Run: ([^.]+)/.exec(detail)?.[1] : undefined
    return { status: 'fail', detail, ...(command !== undefined && { fix: command }) }
  }
}

/**
 * A finding on one line, without keys. Keys are removed before the line is cut, because the rest of a cut key would not
 * be recognized.
 */
function safe({ detail, fix, ...rest }: CheckResult): CheckResult {
  const clean = (text: string): string =>
    terminalLine(
      redactSecrets(text)
        .replaceAll(/\s*\n\s*/g, ' ')
        .slice(0, 2_000),
    )
  return { ...rest, detail: clean(detail), ...(fix !== undefined && { fix: clean(fix) }) }
}

function reportOf(results: readonly (CheckResult & { id: string })[]): string {
  const width = Math.max(...results.map(({ id }) => id.length))
  const lines = results.flatMap(({ id, status, detail, fix }) => [
    `${status.padEnd(7)}  ${id.padEnd(width)}  ${detail}`,
    ...(fix === undefined ? [] : [`${' '.repeat(width + 11)}fix: ${fix}`]),
  ])
  const failed = results.filter(({ status }) => status === 'fail').length
  const warned = results.filter(({ status }) => status === 'warn').length
  const sum = failed + warned === 0 ? 'Nothing is wrong.' : `${failed} failed, ${warned} to look at.`
  return `${[...lines, '', sum].join('\n')}\n`
}
