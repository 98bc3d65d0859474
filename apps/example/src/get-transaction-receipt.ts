import { type ToolContext, terminalLine } from 'agentkit'
import { z } from 'zod'

/**
 * Get the receipt of a blockchain transaction: its sender, recipient, status, block and gas.
 *
 * @param transactionHash The hash of the transaction: 0x and 64 hexadecimal digits
 * @pattern ^0x[0-9a-fA-F]{64}$
 * @returns The receipt, or null if the transaction cannot be found.
 */
export async function getTransactionReceipt(transactionHash: string, { signal }: ToolContext): Promise<unknown> {
  // Without an answer from the node, the tool logs the reason and returns null.
  const address = process.env.RPC_URL
  if (!address) return noResult('RPC_URL is not set. Set it in .env to the address of a JSON-RPC node.')
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [transactionHash] }),
      signal,
    })
    const answer = rpcAnswer.parse(await response.json())
    if (answer.error) return noResult(`The node refused: ${answer.error.message}`)
    return answer.result ?? null
  } catch (error) {
    signal.throwIfAborted()
    // The address may contain a key, so it is not printed.
    return noResult(`The node at RPC_URL gave no usable answer (${nameOf(error)}). Is it running?`)
  }
}

const rpcAnswer = z.object({
  result: z.record(z.string(), z.unknown()).nullish(),
  error: z.object({ message: z.string() }).nullish(),
})

function noResult(reason: string): null {
  console.log(terminalLine(`getTransactionReceipt: ${reason}`))
  return null
}

function nameOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return cause instanceof Error ? cause.name : 'unknown error'
}
