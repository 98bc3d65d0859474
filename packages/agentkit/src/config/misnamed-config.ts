const { existsSync } = process.getBuiltinModule('node:fs')

const otherNames = ['agentkit.toml', 'agentkit.config.toml', 'agentkit-config.toml', 'agentkitconfig.toml']

/** A sentence about a file of the working directory that looks like the configuration, and is not read. */
export function misnamedConfig(): string | undefined {
  const found = otherNames.find((name) => existsSync(name))
  return found === undefined
    ? undefined
    : `${found} is not read: the configuration is agentkit_config.toml. Rename it, or pass configPath: '${found}'.`
}
