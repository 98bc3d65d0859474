import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, interleave, type Row } from './comparison.ts'
import { startChild } from './processes.ts'
import { tenThousandFiles, writeFolder, writeTable } from './retrieval-folder.ts'
import type { RetrievalJob } from './retrieval-worker.ts'
import type { Measured } from './worker.ts'

/** A folder of 32 MB: each job in a fresh process, on the index of the previous job. */
export async function compareRetrieval(
  timing: { rounds: number; warmMs: number },
  jobs: readonly RetrievalJob[] = ['large file', 'first sync', 'second sync', 'one change', 'open and ask', 'question'],
): Promise<Row[]> {
  const work = await mkdtemp(join(tmpdir(), 'agentkit-bench-'))
  const folder = join(work, 'files')
  const megabytes = (await writeFolder(folder, tenThousandFiles)) / 1e6
  const table = join(work, 'table')
  await writeTable(table, 50e6)
  const rows: Row[] = []
  for (const job of jobs) {
    const enter = async (contestant: string): Promise<Contender> => {
      const index = join(work, contestant)
      return {
        stop() {},
        async round() {
          const isFirst = job === 'first sync' || job === 'large file'
          if (isFirst) await rm(index, { recursive: true, force: true })
          const files = job === 'large file' ? table : folder
          const child = await startChild('./retrieval-worker.ts', contestant, files, index, job)
          await child.ended
          return child.first as Measured
        },
      }
    }
    rows.push(
      ...(await interleave({ name: job, unit: unitOf(job, megabytes), contestants: searchersOf(job), enter }, timing)),
    )
  }
  await rm(work, { recursive: true, force: true })
  return rows
}

function unitOf(job: RetrievalJob, megabytes: number): string {
  if (job === 'large file') return '50 MB'
  return job === 'first sync' ? `${megabytes.toFixed(0)} MB` : 'each'
}

/** The handwritten in-memory index is the baseline for the jobs that it supports. */
function searchersOf(job: RetrievalJob): string[] {
  const isOurs = job === 'large file' || job === 'second sync' || job === 'one change'
  return isOurs ? ['basic', 'localstore'] : ['minisearch', 'basic', 'localstore']
}
