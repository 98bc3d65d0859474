import type { ServerResponse } from 'node:http'
import type { Answer } from '@agentkit/test-loopback'

/** Events as Gemini frames them. */
export function sse(...chunks: unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\r\n\r\n`).join('')
}

export function streaming(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Answers with chunks. */
export function chunks(...all: unknown[]): Answer {
  return (response) => streaming(response).end(sse(...all))
}

/** A chunk with these parts, and the reason for which the answer ends. */
export function candidate(parts: object[], finishReason?: string, finishMessage?: string): object {
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        index: 0,
        ...(finishReason && { finishReason }),
        ...(finishMessage && { finishMessage }),
      },
    ],
  }
}

/** An error as Google writes it. */
export function googleError(code: number, status: string, message: string, details: object[] = []): { error: object } {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } }
}
