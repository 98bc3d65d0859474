import { signal } from '@preact/signals'
import { newId } from '../api/new-id.ts'
import { type Problem, problemOf } from '../api/problem.ts'
import { addressOf, request, requestDeletion, requestJSON } from '../api/request.ts'
import { dropToken, sessionToken } from '../api/session-token.ts'
import type { FileBody } from '../api/types.ts'
import { t } from '../text/t.ts'
import { announce } from './announce.ts'
import { callerQuery, info } from './server.ts'

export type Upload = {
  id: string
  name: string
  /** From 0 to 1; at 1 the server reads and indexes it. */
  progress: number
  /** Ends it, while the server has not all of it. */
  stop?: (() => void) | undefined
  detail?: FileBody
  problem?: Problem
}

export const files = signal<readonly FileBody[] | undefined>(undefined)
export const filesProblem = signal<Problem | undefined>(undefined)
export const uploads = signal<readonly Upload[]>([])

export async function loadFiles(): Promise<void> {
  try {
    const { details } = await requestJSON<{ details: FileBody[] }>('api/v1/files', { query: callerQuery() })
    files.value = details
    filesProblem.value = undefined
  } catch (error) {
    filesProblem.value = problemOf(error)
  }
}

/** Whether the agent reads files of this type. */
function isAccepted({ name }: File): boolean {
  const exts = info.value?.accepts.files ?? []
  return exts.some((ext) => name.toLowerCase().endsWith(ext))
}

/** Uploads files one after the other, so that each has its own progress and status. */
export async function uploadFiles(chosen: readonly File[]): Promise<void> {
  const waiting = chosen.map((file) => ({ file, upload: newUpload(file) }))
  uploads.value = [
    ...uploads.value.filter(({ detail, problem }) => !detail && !problem),
    ...waiting.map(({ upload }) => upload),
  ]
  for (const { file, upload } of waiting) {
    // Files that the user has removed from the list are not sent.
    if (!upload.problem && uploads.value.some(({ id }) => id === upload.id)) await send(file, upload)
  }
  await loadFiles()
}

function newUpload(file: File): Upload {
  const upload: Upload = { id: newId(), name: file.name, progress: 0 }
  const max = info.value?.limits.file_bytes ?? 0
  const detail = !isAccepted(file)
    ? t('files.refused', { name: file.name })
    : file.size > max
      ? t('files.tooLarge', { name: file.name, max: `${max / 1e6} MB` })
      : file.size === 0
        ? t('files.status.no-text')
        : undefined
  return detail === undefined ? upload : { ...upload, progress: 1, problem: { status: 0, code: 'file', detail } }
}

/** Uses XMLHttpRequest, because `fetch` reports no progress of an upload. */
function send(file: File, { id }: Upload): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(callerQuery())) form.set(name, value)
  form.set('files', file)
  const xhr = new XMLHttpRequest()
  const token = sessionToken.value
  xhr.open('POST', addressOf('api/v1/uploadfiles'))
  if (token) xhr.setRequestHeader('authorization', `Bearer ${token}`)
  xhr.responseType = 'json'
  xhr.upload.onprogress = ({ loaded, total }) =>
    change(id, { progress: Math.min(0.99, total > 0 ? loaded / total : 0) })
  xhr.upload.onload = () => change(id, { progress: 1, stop: undefined })
  return new Promise((resolve) => {
    xhr.onloadend = () => {
      if (xhr.status === 401) dropToken(token)
      const outcome = outcomeOf(xhr)
      change(id, { progress: 1, ...outcome })
      if (outcome.detail?.status === 'ok') announce(t('files.uploaded', { name: file.name }))
      resolve()
    }
    change(id, { stop: () => xhr.abort() })
    xhr.send(form)
  })
}

function outcomeOf({ status, response }: XMLHttpRequest): Pick<Upload, 'detail' | 'problem'> {
  const { details, detail, code, request_id } = (response ?? {}) as Record<string, unknown> // null where it is not JSON
  const first: unknown = Array.isArray(details) ? details[0] : undefined
  if (status === 200 && first) return { detail: first as FileBody } // by the promise of the route
  return {
    problem: {
      status,
      code: status === 0 ? 'unreachable' : typeof code === 'string' ? code : 'http',
      detail: typeof detail === 'string' ? detail.slice(0, 2_000) : '',
      ...(typeof request_id === 'string' && { requestId: request_id }),
    },
  }
}

function change(id: string, values: Partial<Upload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...values } : upload))
}

export async function deleteFile(name: string): Promise<void> {
  await requestDeletion(`api/v1/files/${encodeURIComponent(name)}`, callerQuery())
  await loadFiles()
}

/** Files in folders have no address. */
export function hasAddress(name: string): boolean {
  return !name.includes('/')
}

export function addressOfFile(name: string): string {
  return addressOf(`api/v1/files/${encodeURIComponent(name)}`, callerQuery()).href
}

/** Downloads a file. With a token by a request of the page, because a link has no token. */
export async function downloadFile(name: string): Promise<void> {
  if (!sessionToken.value) return save(addressOfFile(name), name)
  try {
    const path = `api/v1/files/${encodeURIComponent(name)}`
    saveBlob(await (await request(path, { query: callerQuery() })).blob(), name)
  } catch (error) {
    announce(problemOf(error).detail || t('fix.unreachable'))
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  save(address, name)
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

function save(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
