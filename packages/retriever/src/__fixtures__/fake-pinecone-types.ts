import type { IncomingMessage } from 'node:http'
import type { FakeIndex, NewIndex } from './fake-pinecone-index.ts'

/** The operation of a request. */
export type Operation = 'describe' | 'list' | 'create' | 'upsert' | 'fetch' | 'query' | 'delete' | 'stats' | 'other'

/** A planned failure. */
export type Failure = {
  /** The operation that fails; absent: any operation. */
  of?: Operation
  /** How often; default 1. */
  times?: number
  /** The connection breaks instead of an answer. */
  reset?: true
  status?: number
  headers?: Record<string, string>
  body?: string
  /** The number of records that an upsert stores before it fails. */
  after?: number
}

export type SeenRequest = { operation: Operation; bytes: number; url: string; headers: IncomingMessage['headers']; body: unknown }
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> }
export type FakeRequest = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown>; bytes: number }

/** A server on this machine that answers as Pinecone does, API 2026-07: control plane and data plane. */
export interface FakePinecone {
  /** The URL of the control plane. */
  url: string
  /** The key that the server accepts. */
  apiKey: string
  indexes: Map<string, FakeIndex>
  /** All requests, in order. */
  requests: SeenRequest[]
  requestsOf(operation: Operation): SeenRequest[]
  add(index: NewIndex): FakeIndex
  /** Fails the next requests of a kind. */
  fail(failure: Failure): void
  /** Removes all planned failures. */
  recover(): void
  /** A new index is ready after this number of requests for its state. */
  looksUntilReady: number
  /** Called when a request has arrived, before it is answered. */
  onRequest: ((operation: Operation) => void | Promise<void>) | undefined
  close(): Promise<void>
}
