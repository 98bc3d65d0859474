import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { isAgentKitError } from '@agentkit/core'
import { editDistance } from '@agentkit/core/internal'
import { idOfTable } from '../../config/agent-settings.ts'
import type { Config } from '../../config/config.ts'
import { reservedTables } from '../../config/config-keys.ts'
import { misnamedConfig } from '../../config/misnamed-config.ts'
import { checkServerNames } from '../../mcp/configured-tools.ts'
import { checkSkills } from '../../skills/configured-skills.ts'
import { configuredWebhook } from '../../webhooks/configured-webhook.ts'
import { agentTables, type CheckResult, merged, type Project } from './project.ts'

/** The configuration: its form, its keys and their values. */
export async function checkConfig({ config, configError }: Project): Promise<CheckResult> {
  if (configError) return located({ status: 'fail', detail: configError.message })
  if (config.path === undefined) {
    const misnamed = misnamedConfig()
    if (misnamed !== undefined) return { status: 'warn', detail: misnamed }
    return { status: 'ok', detail: 'There is no agentkit_config.toml: defaults and environment variables decide.' }
  }
  const name = relative('', config.path)
  const warnings = [...config.warnings, ...misspeltTables(config), ...doubleTables(config)].map((detail) =>
    located({ status: 'warn', detail }),
  )
  const findings = [
    // A worker and a server refuse to start with an address or a secret that cannot be used.
    ...(await failedCheck(config, () => configuredWebhook(config.webhooks))),
    ...(await tableFindings(config)),
    ...warnings,
  ]
  return merged(findings, { status: 'ok', detail: `${name} is valid.`, file: name })
}

/** What the tables of agents name: an agent without its servers of MCP or its skills does not run. */
async function tableFindings(config: Config): Promise<CheckResult[]> {
  const settings = [...agentTables(config), config.defaults]
  const servers = new Set(settings.flatMap(({ mcp = [] }) => mcp))
  const folders = [...new Set(settings.flatMap(({ skills = [] }) => skills))]
  const found = await failedCheck(config, () => checkServerNames([...servers], config))
  for (const folder of folders) found.push(...(await failedCheck(config, () => checkSkills(config, [folder]))))
  return found
}

async function failedCheck({ path = '' }: Config, check: () => unknown): Promise<CheckResult[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    // `packages` names what is not installed.
    if (error.code === 'missing-package') return []
    const detail = error.message.startsWith(path) ? error.message : `${path}: ${error.message}`
    return [located({ status: 'fail', detail })]
  }
}

/** Which names agents have, only their code says: one letter makes another table an agent's. */
function misspeltTables({ path, agents }: Config): string[] {
  return [...agents.keys()].flatMap((table) => {
    const meant = reservedTables.find((one) => one.length > 3 && editDistance(table, one, 1) <= 1)
    if (meant === undefined) return []
    return `${path}: [${table}] is the table of an agent "${table}". Did you mean [${meant}]?`
  })
}

/** Tables of which one is the name of an agent, and the other one its id. */
function doubleTables({ path, agents }: Config): string[] {
  return [...agents.keys()].flatMap((table) => {
    const id = idOfTable(table)
    if (id === table || !agents.has(id)) return []
    return `${path}: ["${table}"] and [${id}] both belong to an agent of that name, which cannot start. Merge the two tables.`
  })
}

/** Finds the file and the line that messages begin with: `/path/agentkit_config.toml:3: …`. */
function located(found: CheckResult): CheckResult {
  const [, path = '', line, problem = ''] = /^(.*?\.toml)(?::(\d+))?: (.*)$/s.exec(found.detail) ?? []
  if (path === '') return { ...found, fix: 'Correct agentkit_config.toml.' }
  const file = relative('', path)
  const place = line === undefined ? file : `line ${line} of ${file}`
  return {
    ...found,
    detail: `${line === undefined ? file : `${file}:${line}`}: ${problem}`,
    fix: `Correct ${place}.`,
    file,
    ...(line !== undefined && { line: Number(line) }),
  }
}

/** Whether the secrets in `.env` stay on this machine. */
export async function checkEnv({ envProblem }: Project, signal: AbortSignal): Promise<CheckResult> {
  const file = '.env'
  if (envProblem !== undefined) return { status: 'fail', detail: envProblem, fix: fixOf(envProblem, file), file }
  if (!existsSync(file)) return { status: 'ok', detail: 'There is no .env: keys are read from the environment.' }
  const findings: CheckResult[] = []
  const isInGit = await git(['rev-parse', '--is-inside-work-tree'], signal)
  if (isInGit && (await git(['ls-files', '--error-unmatch', file], signal))) {
    const detail = '.env is stored in git, with its keys. Change them afterwards.'
    findings.push({ status: 'fail', detail, fix: 'git rm --cached .env && echo .env >> .gitignore', file })
  } else if (isInGit && !(await git(['check-ignore', '-q', file], signal))) {
    const detail = 'git does not ignore .env, which has keys.'
    findings.push({ status: 'warn', detail, fix: 'echo .env >> .gitignore', file })
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    findings.push({ status: 'warn', detail: 'Other users of this machine can read .env.', fix: 'chmod 600 .env', file })
  }
  const detail = isInGit ? '.env is private, and git ignores it.' : '.env is private; no git is here.'
  const found = merged(findings, { status: 'ok', detail, file })
  // Each finding has its own command.
  return findings.length > 1 ? { ...found, fix: findings.map(({ fix }) => fix).join(' && ') } : found
}

function fixOf(problem: string, file: string): string {
  if (problem.includes('UTF-8')) return `Save ${file} as UTF-8.`
  return statSync(file).isDirectory() ? `mv ${file} ${file}.old` : `chmod 600 ${file}`
}

/** Whether git says yes. Without git there is no repository either. */
async function git(words: readonly string[], signal: AbortSignal): Promise<boolean> {
  try {
    await promisify(execFile)('git', [...words], { signal, timeout: 3_000 })
    return true
  } catch {
    return false
  }
}
