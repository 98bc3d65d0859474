/** What a check of a project's state found: one sentence, and how to fix it where something is wrong. */
export type Finding = {
  status: 'ok' | 'warn' | 'fail' | 'skipped'
  detail: string
  /** A command where there is one. */
  fix?: string
}
