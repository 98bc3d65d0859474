import { resolve } from 'node:path'
import { invalidConfig, type OptionRule } from '@agentkit/core/internal'
import { parse, TomlError, type TomlTable } from 'smol-toml'
import { noProviders } from '../models/named-provider.ts'
import { checkConfig } from './check-config.ts'
import type { Config } from './config.ts'
import { isInProjectTests } from './project-tests.ts'
import { tomlFix } from './toml-fix.ts'

// Not an import, because importing `node:fs` loads more modules.
const { readFileSync } = process.getBuiltinModule('node:fs')

export const isConfigPath: OptionRule = {
  is: 'the path of a TOML file, such as "agentkit_config.toml"',
  holds: (value) => typeof value === 'string' && value !== '',
}

/** The file that is read when `configPath` is absent. */
const defaultPath = './agentkit_config.toml'

/**
 * Reads and checks a configuration file.
 *
 * @param configPath relative to the working directory; default: `./agentkit_config.toml`, if it exists, and none in tests
 * @throws AgentKitError `invalid-config` for a missing file, invalid TOML, and a value of the wrong type or out of
 *   range; the message has the file, the line and the fix
 */
export function readConfig(configPath?: string): Config {
  if (configPath === undefined && isInProjectTests()) return noConfig()
  const path = resolve(configPath ?? defaultPath)
  const toml = readText(path, configPath !== undefined)
  if (toml === undefined) return noConfig()
  return checkConfig({ path, toml }, parseToml(path, toml))
}

/** The configuration where there is no file. */
export function noConfig(): Config {
  return {
    defaults: {},
    agents: new Map(),
    samplePrompts: {},
    server: {},
    retention: {},
    webhooks: {},
    retriever: {},
    embedding: {},
    providers: noProviders,
    mcp: new Map(),
    warnings: [],
  }
}

function readText(path: string, required: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException // what `fs` and the decoder throw
    const missing = code === 'ENOENT'
    if (missing && !required) return undefined
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw invalidConfig(`${path}: the file is not UTF-8. Save it as UTF-8.`, { cause })
    }
    if (code === 'EISDIR') {
      throw invalidConfig(`${path}: this is a folder (EISDIR). Pass the path of a TOML file in it.`, { cause })
    }
    const problem = missing ? 'there is no such file. Create it, or correct `configPath`' : message
    throw invalidConfig(`${path}: ${problem}.`, { cause })
  }
}

function parseToml(path: string, toml: string): TomlTable {
  try {
    return parse(toml)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const reason = cause.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? ''
    const fix = tomlFix(toml.split('\n')[cause.line - 1] ?? '', reason)
    throw invalidConfig(`${path}:${cause.line}: invalid TOML: ${reason}. ${fix}.`, { cause })
  }
}
