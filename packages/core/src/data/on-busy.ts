/** What a run does when another one holds its session: wait in the queue, fail, or end the others and run next. */
export type OnBusy = 'queue' | 'reject' | 'interrupt'
