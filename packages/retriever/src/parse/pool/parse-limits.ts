/** The limits for reading one file. */
export type ParseLimits = {
  /** Resident memory of the parser process, in MB (10^6 bytes). */
  memoryMb: number
  /** CPU time of the largest file, in seconds. A small file has less: see `cpuMicrosOf`. */
  cpuSeconds: number
  /** The ratio of wall-clock time to CPU time that is allowed: on a loaded machine a CPU second takes several. */
  wallPerCpu: number
}

export const usualLimits: ParseLimits = { memoryMb: 512, cpuSeconds: 60, wallPerCpu: 5 }

/** The CPU time of a file of this size, in microseconds: 5 s, and 10 s per MB. */
export function cpuMicrosOf(bytes: number, { cpuSeconds }: Pick<ParseLimits, 'cpuSeconds'>): number {
  return Math.min(cpuSeconds, 5 + bytes / 100_000) * 1e6
}

/** Replaces the hash of a file that exceeded these limits: with other limits it may be readable. */
export function limitsMark({ memoryMb, cpuSeconds }: Omit<ParseLimits, 'wallPerCpu'>): string {
  return `exceeds ${memoryMb} MB ${cpuSeconds} s`
}

/** A limit that a file exceeded; `most` is in MB or seconds. */
export type ExceededLimit =
  /** `before` is what the process used already when it started to read the file. */
  { limit: 'memory'; most: number; before: number } | { limit: 'cpu' | 'wall'; most: number }

/** A sentence for users that names the limit. */
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
