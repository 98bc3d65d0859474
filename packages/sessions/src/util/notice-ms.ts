/** How long a notice keeps its session: it is tried for a day. One that no process delivers keeps it no longer. */
export const noticeMs: number = 25 * 3_600_000
