/** Version 5 of the schema: failed runs, few among many, are listed by an index of their own. Released; never changed. */
export const failedRuns = `
  CREATE INDEX failed_runs ON agentkit.runs (agent_id, (coalesce(listed, number))) WHERE status = 'failed'
`
