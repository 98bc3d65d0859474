/** What reading one file may cost. */
export type ParseLimits = {
  /** Resident memory of the process that reads, in MB (10^6 bytes). */
  memoryMb: number
  /** CPU time of the largest file, in seconds. A small file gets less: see `cpuMicrosOf`. */
  cpuSeconds: number
  /** How many times its CPU time a file may take by the wall clock: on a loaded machine a second takes several. */
  wallPerCpu: number
}

export const usualLimits: ParseLimits = { memoryMb: 512, cpuSeconds: 60, wallPerCpu: 5 }

/** CPU time that a file of this size may take, in microseconds: 5 s, and 10 s for each MB. */
export function cpuMicrosOf(bytes: number, { cpuSeconds }: Pick<ParseLimits, 'cpuSeconds'>): number {
  return Math.min(cpuSeconds, 5 + bytes / 100_000) * 1e6
}

/** Stands for the hash of a file that exceeded these limits: with others it may be read. */
export function limitsMark({ memoryMb, cpuSeconds }: Omit<ParseLimits, 'wallPerCpu'>): string {
  return `exceeds ${memoryMb} MB ${cpuSeconds} s`
}

/** A limit that a file exceeded; `most` is in MB or seconds. */
export type ExceededLimit =
  /** `before` is what the process took already when it began to read the file. */
  { limit: 'memory'; most: number; before: number } | { limit: 'cpu' | 'wall'; most: number }

/** A sentence for people that names the limit. */
export function exceededReason({ limit, most }: Pick<ExceededLimit, 'limit' | 'most'>): string {
  const number = Math.round(most * 10) / 10
  const seconds = `${number} ${number === 1 ? 'second' : 'seconds'}`
  switch (limit) {
    case 'memory':
      return `Reading it takes more than ${number} MB of memory.`
    case 'cpu':
      return `Reading it takes more than ${seconds} of CPU time.`
    case 'wall':
      return `Reading it takes longer than ${seconds}.`
  }
}
