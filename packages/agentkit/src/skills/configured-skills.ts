import { dirname, resolve } from 'node:path'
import type { Tool } from '@agentkit/core'
import { type HostTools, isProduction } from '@agentkit/core/internal'
import type { Config } from '../config/config.ts'
import type { SDKContext } from '../config/sdk-context.ts'
import { importSkills } from '../util/import-optional.ts'

/**
 * The tools of the skills that the configuration names, for the runs of one agent. The folders are read by its first run.
 * @param folders relative to the configuration
 */
export function configuredSkills(
  { config }: SDKContext,
  folders: readonly string[] | undefined,
  configured: boolean,
): HostTools | undefined {
  if (folders === undefined || folders.length === 0) return undefined
  let made: Promise<Tool[]> | undefined
  return async () => {
    made ??= make().catch((error) => {
      // The next run tries again.
      made = undefined
      throw error
    })
    return { tools: await made, warnings: [] }
  }

  async function make(): Promise<Tool[]> {
    const { skillTools } = await importSkills()
    const pins = resolve(baseOf(config), 'agentkit-skills.lock.json')
    return skillTools(pathsOf(config, folders ?? []), { pins }, configured || isProduction())
  }
}

/**
 * Reads the skills that the configuration names, and pins nothing.
 * @throws AgentKitError as the first run would
 */
export async function checkSkills(config: Config, folders: readonly string[]): Promise<void> {
  const { skillTools } = await importSkills()
  skillTools(pathsOf(config, folders), { pins: false }, false)
}

function pathsOf(config: Config, folders: readonly string[]): string[] {
  return folders.map((folder) => resolve(baseOf(config), folder))
}

/** The folder that paths are relative to. */
function baseOf({ path }: Config): string {
  return path === undefined ? '.' : dirname(path)
}
