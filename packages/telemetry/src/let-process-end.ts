import type { Agent } from 'node:http'
import { isRecord } from '@agentkit/core/internal'
import { diag } from '@opentelemetry/api'

type Exporter = { export(data: never, done: (result: { code: number; error?: Error }) => void): void }

/**
 * Lets a program end while an exporter sends, or waits for its next try. The SDK keeps the process alive meanwhile: for ten
 * seconds and more, and for ever where one export begins before the last one has failed. A flush and a shutdown still wait
 * for all exports.
 *
 * The SDK has no option for this, so its parts are changed where they have the expected form.
 */
export function letProcessEnd<Given extends Exporter>(exporter: Given): Given {
  const send = exporter.export.bind(exporter)
  // A processor that waits for the result has a timer for it. The exporter bounds its exports itself.
  exporter.export = (data, done) => {
    send(data, ({ error }) => {
      if (error) diag.error('@agentkit/telemetry: an export has failed.', error)
    })
    done({ code: 0 })
  }
  const retrying = partOf(partOf(exporter, '_delegate'), '_transport')
  const http = partOf(retrying, '_transport')
  if (typeof retrying?.retry === 'function' && typeof http?.send === 'function') {
    const sendAgain = http.send.bind(http)
    retrying.retry = (data: unknown, timeoutMs: number, inMs: number): Promise<unknown> =>
      new Promise((resolve, reject) => {
        setTimeout(() => sendAgain(data, timeoutMs).then(resolve, reject), inMs).unref()
      })
  }
  const parameters = partOf(http, '_parameters')
  const create = parameters?.agentFactory
  if (parameters && typeof create === 'function') {
    parameters.agentFactory = async (protocol: string) => withoutHold(await create(protocol))
  }
  return exporter
}

/** An agent whose sockets do not keep the process alive. Node makes them do so again when a request reuses one. */
function withoutHold(agent: Agent): Agent {
  const { createConnection, reuseSocket } = agent
  agent.createConnection = (...args) => {
    const socket = createConnection.apply(agent, args)
    // A socket of an agent is one of `node:net`, unless a subclass makes its own.
    if (socket && 'unref' in socket && typeof socket.unref === 'function') socket.unref()
    return socket
  }
  agent.reuseSocket = (socket, request) => {
    reuseSocket.call(agent, socket, request)
    if ('unref' in socket && typeof socket.unref === 'function') socket.unref()
  }
  return agent
}

function partOf(value: unknown, name: string): Record<string, unknown> | undefined {
  const part = isRecord(value) ? value[name] : undefined
  return isRecord(part) ? part : undefined
}
