import type { IncomingMessage } from 'node:http'
import type { FakeIndex, NewIndex } from './fake-pinecone-index.ts'

/** What a request asks for. */
export type Operation = 'describe' | 'list' | 'create' | 'upsert' | 'fetch' | 'query' | 'delete' | 'stats' | 'other'

/** A failure that is to come. */
export type Failure = {
  /** Of which operation; absent: of any. */
  of?: Operation
  /** How often; default 1. */
  times?: number
  /** The connection breaks instead of an answer. */
  reset?: true
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Of an upsert: so many records are stored before it fails. */
  after?: number
}

export type SeenRequest = { operation: Operation; bytes: number; url: string; headers: IncomingMessage['headers']; body: unknown }
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> }
export type FakeRequest = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown>; bytes: number }

/** A server on this machine that answers as Pinecone does, API 2026-07: control plane and data plane. */
export interface FakePinecone {
  /** Of its control plane. */
  url: string
  /** The one that it takes. */
  apiKey: string
  indexes: Map<string, FakeIndex>
  /** All requests, in order. */
  requests: SeenRequest[]
  requestsOf(operation: Operation): SeenRequest[]
  add(index: NewIndex): FakeIndex
  /** Fails the next requests of a kind. */
  fail(failure: Failure): void
  /** From now on nothing fails. */
  recover(): void
  /** A new index needs so many looks at it before it is ready. */
  looksUntilReady: number
  /** Called when a request has come, before it is answered. */
  onRequest: ((operation: Operation) => void | Promise<void>) | undefined
  close(): Promise<void>
}
