// The answers of the server's routes, as far as the page uses them.
import type { ErrorCode } from '@agentkit/core'

export type Info = {
  id: string
  name: string
  description: string | null
  version: string | null
  sample_prompts: string[]
  members: { id: string; name: string; description: string | null }[]
  tools: { name: string; description: string }[]
  speaker?: string
  budget: Record<string, number | null> | null
  accepts: { images: boolean; files: string[] }
  limits: { file_bytes: number }
  auth: boolean
  user_id: string | null
  caller: { any_user: boolean; approve: boolean; upload: boolean; resume: boolean }
}

/** The answer of a server that needs a token to a caller without one. */
export type ClosedInfo = { auth: true; name: string; id?: undefined }

export type Source = {
  file: string
  page?: number
  row?: number
  heading?: string
  quote: string
  chunk_id: string
  session?: { session_id: string; run_id: string; at: string }
  stale?: boolean
}

export type ApprovalBody = {
  approval_id: string
  call_id: string
  name: string
  input: unknown
  kind: 'approval' | 'unknown-outcome' | 'client-tool'
  path: string[] | null
  started_at: string | null
}

export type RunBody = {
  run_id: string
  status: 'queued' | 'running' | 'waiting' | 'done' | 'failed'
  finish_reason: string | null
  error: { code: ErrorCode; detail: string } | null
  approvals: ApprovalBody[]
  usage: Record<string, number | boolean> | null
  cost: number | null
  sources: Source[]
  created_at: string
  started_at: string | null
  ended_at: string | null
}

export type TurnBody = RunBody & { question: string; answer: string | null; models: string[]; events: boolean }

export type ListedRun = RunBody & { session_id: string | null; user_id: string }

export type SessionBody = {
  session_id: string
  title: string
  created_at: string
  updated_at: string
  turns: number
  active_run_id: string | null
}

export type FileBody = { name: string; size: number; status: string; reason?: string }

export type PassageBody = {
  file: string
  page: number | null
  row: number | null
  heading: string | null
  quote: string
  before: string
  after: string
  stale: boolean
}
