/** The version in `engines` of the packages. */
const least = { major: 22, minor: 18 }

/**
 * Ends the process where functions cannot be compiled as files are loaded: on another runtime and with Plug'n'Play, with what
 * to do there, and on an older Node, with the version that is needed. No import here needs a newer Node.
 */
export function checkNodeVersion(
  version: string,
  end: (message: string) => void = endProcess,
  runtimes: Readonly<Record<string, string | undefined>> = process.versions,
): void {
  const other = others.find((name) => runtimes[name.toLowerCase()] !== undefined)
  if (other !== undefined) {
    const command = 'npx agentkit tools build "src/**/*.ts"'
    end(
      `agentkit/register uses load hooks of Node.js, which do not work on ${other}. Make the tools of plain functions on Node.js by ${command}, import the file that it writes before the agents, and leave out agentkit/register; or define tools by tool().`,
    )
    return
  }
  if (runtimes.pnp !== undefined) {
    end(
      "agentkit does not support Yarn's Plug'n'Play. Write `nodeLinker: node-modules` into .yarnrc.yml, and run `yarn install`.",
    )
    return
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // The types of files are removed by Node from 22.18 on, and from 23.6.
  const isOld = major < least.major || (major === least.major && minor < least.minor) || (major === 23 && minor < 6)
  if (isOld)
    end(
      `agentkit needs Node.js ${least.major}.${least.minor} or later, and this is ${version}. Install a newer one: https://nodejs.org`,
    )
}

/** Bun lacks `registerHooks`. Deno has it, but does not pass the source to hooks. */
const others = ['Bun', 'Deno']

function endProcess(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
