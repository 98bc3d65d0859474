/** What `engines` of the packages says. */
const least = { major: 22, minor: 18 }

/** Ends the process where Node cannot load agentkit, with the version that it needs. No import here needs a newer Node. */
export function checkNodeVersion(version: string, end: (message: string) => void = endProcess): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // The types of files are removed by Node from 22.18 on, and from 23.6.
  const isOld = major < least.major || (major === least.major && minor < least.minor) || (major === 23 && minor < 6)
  if (isOld)
    end(
      `agentkit needs Node.js ${least.major}.${least.minor} or later, and this is ${version}. Install a newer one: https://nodejs.org`,
    )
}

function endProcess(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
