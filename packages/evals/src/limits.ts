/** The limits of what evals accept and keep. */
export const limits = {
  /** One file of cases. */
  casesBytes: 268_435_456,
  cases: 100_000,
  /** One line of a JSONL file, and one record of a CSV file. */
  caseBytes: 16_777_216,
  idChars: 200,
  tags: 100,
  variants: 20,
  scorers: 50,
  repeats: 1_000,
  concurrency: 100,
  /** All runs of an eval. */
  runs: 1_000_000,
  /** How long one scorer may take for one run, in milliseconds. */
  scorerMs: 120_000,
  /** How long one search of `regex` may take, in milliseconds, and the text that it searches. */
  regexMs: 1_000,
  regexChars: 1_000_000,
  /** The longest text of an answer in the report, and of each text of a stored transcript. */
  reportChars: 20_000,
  /** The longest reason of a score, and message of an error. */
  reasonChars: 2_000,
  /** A stored transcript, in characters of JSON. */
  transcriptChars: 2_000_000,
  /** A file of stored results. */
  resultsBytes: 2_147_483_648,
  /** The characters of each text that a judge reads. */
  judgedChars: 100_000,
  /** The runs of an HTML report that are shown with their transcript, and the characters of all transcripts. */
  htmlRuns: 2_000,
  htmlTranscriptChars: 50_000_000,
  /** The age from which an unfinished recording is removed, in milliseconds since it was last written. */
  forgottenMs: 86_400_000,
  /** A file whose quotes are checked. */
  quotedFileBytes: 67_108_864,
} as const
