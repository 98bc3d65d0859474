import { readFileSync } from 'node:fs'
import { AgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'
import { type Cassette, parseCassette } from './parse-cassette.ts'

/**
 * Reads a file that `record` has written as plain data: its models, and their calls in the order of their requests.
 *
 * @throws AgentKitError `not-found` when there is no such file
 * @throws AgentKitError `unreadable-file` for a file that is not a cassette, or an invalid one, with the line
 * @throws AgentKitError `unsupported` for one of a newer version
 * @example
 * const { calls } = readCassette('weather.cassette')
 * calls.map(({ model, request }) => [model, request.messages.at(-1)])
 */
export function readCassette(file: string): Cassette {
  return parseCassette(readText(file), file)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = systemCode(cause)
    if (code !== 'ENOENT') {
      throw new AgentKitError('unreadable-file', `The cassette ${file} cannot be read: ${code}.`, { cause })
    }
    const message = `There is no cassette ${file}. Record it: record(model, ${JSON.stringify(file)}), or agentkit record.`
    throw new AgentKitError('not-found', message, { cause })
  }
}
