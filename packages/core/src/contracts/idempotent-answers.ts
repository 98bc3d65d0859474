/** Answers to requests that carry an idempotency key, kept until `prune` or the deletion of their session. */
export interface IdempotentAnswers {
  /**
   * Reserves a key for one request, or returns what is known of it.
   * @param request.scope who sent it, and to where
   * @param request.fingerprint a hash of what was sent
   * @returns `undefined` when the key is new, or its process has died before a run began
   */
  reserve(request: IdempotentRequest): Promise<IdempotentAnswer | undefined>
  /** Stores the answer. @param answer.runId of the run that answered, with which the answer is deleted */
  store(
    request: IdempotentRequest,
    answer: { runId?: string; status?: number; body?: string; type?: string },
  ): Promise<void>
  /** Frees the key of a request whose answer is not kept, unless another process has reserved it since. */
  forget(request: IdempotentRequest): Promise<void>
}

/** A request with a key: a second one gets the answer of the first. */
export type IdempotentRequest = {
  /** Who sent it, and to where. */
  scope: string
  /** Its idempotency key. */
  key: string
  /** A hash of what was sent. */
  fingerprint: string
}

/** What an earlier request with the same key was answered. */
export type IdempotentAnswer = {
  /** A hash of what the earlier request sent. */
  fingerprint: string
  /** The run that answers it. */
  runId?: string
  /** Absent while the request is running. */
  status?: number
  /** The text of the answer. */
  body?: string
  /** The content type of the answer. */
  type?: string
}
