/** The limits of the data of a span. */
export const limits = {
  /** Characters of a name: a model may call a tool that it has made up. */
  nameChars: 128,
  /** Characters of one text of a message, argument or result. */
  textChars: 8_192,
  /** Characters of one attribute with content. */
  contentChars: 65_536,
  /** Messages, list items and fields of one level. */
  contentItems: 100,
  contentDepth: 12,
  /** Sets of attributes of metrics that are kept. */
  knownLabels: 1_000,
  /** Characters of an address that another process sends. */
  traceparentChars: 128,
  /** Milliseconds for the last export. */
  shutdownMs: 2_000,
  /** How long an endpoint may take that `agentkit doctor` asks. */
  probeMs: 5000,
} as const
