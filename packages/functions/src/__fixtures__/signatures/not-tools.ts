import type { ToolContext } from '@agentkit/core'
// @ts-expect-error: there is no such file.
import type { Invoice } from './missing.ts'

class Account {
  readonly #owner: string
  constructor(owner: string) {
    this.#owner = owner
  }
  owner(): string {
    return this.#owner
  }
}

interface Watcher {
  path: string
  /** Told of each change. */
  onChange?: (path: string) => void
}

interface Repository {
  url: string
  fetch(branch: string): Promise<void>
}

type Batch = { jobs: { label: string; account: Account }[] }

/** Watches a file. */
export function watchFile(path: string, onChange: (path: string) => void): unknown[] { return [path, onChange] }

/** Watches files. */
export function watchFiles(options: Watcher): unknown[] { return [options] }

/** Clones a repository. */
export function cloneRepository(repository: Repository): unknown[] { return [repository] }

/** Runs a batch of jobs. */
export function runBatch(batch: Batch): unknown[] { return [batch] }

/** Runs hooks, one after the other. */
export function runHooks(hooks: (() => void)[]): unknown[] { return [hooks] }

/** Handles events. */
export function handleEvents(...handlers: ((name: string) => void)[]): unknown[] { return handlers }

/** Fills in a value. */
export function fillIn(value: string | (() => string)): unknown[] { return [value] }

/** Routes requests. */
export function routeRequests(routes: Record<string, (path: string) => string>): unknown[] { return [routes] }

/** Downloads a file. */
export function download({ url, onProgress }: { url: string; onProgress: (percent: number) => void }): unknown[] { return [url, onProgress] }

/** Calls a function. */
export function callAny(callback: Function): unknown[] { return [callback] }

/** Makes an account. */
export function makeAccount(type: typeof Account): unknown[] { return [type] }

/** Marks something. */
export function mark(key: symbol): unknown[] { return [key] }

/** Counts far. */
export function countTo(end: bigint): unknown[] { return [end] }

/** Closes an account. */
export function closeAccount(account: Account): unknown[] { return [account] }

/** Reopens an account. */
export function reopenAccount(id: string, account?: Account | null): unknown[] { return [id, account] }

/** Stores scores. */
export function storeScores(scores: Map<string, number>): unknown[] { return [scores] }

/** Stores words. */
export function storeWords(words: Set<string>): unknown[] { return [words] }

/** Replaces text. */
export function replaceText(search: RegExp, by: string): unknown[] { return [search, by] }

/** Opens a page. */
export function openPage(page: URL): unknown[] { return [page] }

/** Uploads a file. */
export function uploadFile(content: Buffer): unknown[] { return [content] }

/** Hashes bytes. */
export function hashBytes(bytes: Uint8Array): unknown[] { return [bytes] }

/** Waits for a value. */
export function waitFor(value: Promise<string>): unknown[] { return [value] }

/** Reports a failure. */
export function reportFailure(failure: Error): unknown[] { return [failure] }

/** Fetches with a signal. */
export function fetchUntil(url: string, signal: AbortSignal): unknown[] { return [url, signal] }

/** Reads a stream. */
export function readStream(stream: ReadableStream<string>): unknown[] { return [stream] }

/** Answers a request. */
export function answerRequest(request: Request): unknown[] { return [request] }

/** Walks over items. */
export function walk(items: Iterable<string>): unknown[] { return [items] }

/** Stores whatever there is. */
export function storeAny(value: any): unknown[] { return [value] }

/** Stores what is not known. */
export function storeUnknown(value: unknown): unknown[] { return [value] }

/** Stores one of a kind. */
export function storeOf<Value>(value: Value): unknown[] { return [value] }

/** Takes nothing. */
export function takeVoid(nothing: void): unknown[] { return [nothing] }

/** Takes what cannot be. */
export function takeNever(impossible: string & number): unknown[] { return [impossible] }

/** Takes what is not there. */
export function takeUndefined(absent: undefined): unknown[] { return [absent] }

/** Formats a number. */
export function format(value: number): unknown[]
/** Formats a date. */
export function format(value: Date, locale: string): unknown[]
export function format(value: number | Date, locale?: string): unknown[] { return [value, locale] }

/** Asks first. */
export function askFirst(context: ToolContext, question: string): unknown[] { return [context, question] }

/** Hands the context on in an object. */
export function askLater(options: { question: string; context: ToolContext }): unknown[] { return [options] }

/** Pays an invoice. */
export function payInvoice(invoice: Invoice): unknown[] { return [invoice] }

/** Sends an invoice. */
// @ts-expect-error: there is no such type.
export function sendInvoice(invoice: Invoce): unknown[] { return [invoice] }

/** Measures a size. */
export function größe(length: number): unknown[] { return [length] }

/** Selects elements. */
export function $select(query: string): unknown[] { return [query] }

/** Is hard to call. */
export function aFunctionWhoseNameSaysSoMuchThatNoProviderOfModelsWouldEverAcceptIt(query: string): unknown[] { return [query] }

/** Compares two boxes. */
export function compareBoxes({ width }: { width: number }, { height }: { height: number }): unknown[] { return [width, height] }

/** Stores pairs. */
export function storePairs(pairs: [string, () => void][]): unknown[] { return [pairs] }

/** Counts down, one number after the other. */
export async function* countDown(from: number): AsyncGenerator<number> { yield from }
