import type { RunFinishReason } from '../data/event.ts'

/** How a member's run ended. `waiting`: for an approval; it goes on. */
export type MemberStatus = 'done' | 'failed' | 'aborted' | 'budget' | 'waiting'

/** @param text what it has answered */
export function memberStatus(reason: RunFinishReason, text: string): { status: MemberStatus; reason?: string } {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'content-filter':
      if (text.trim() === '') return { status: 'failed', reason: 'It ended without an answer.' }
      return { status: 'done' }
    case 'max-steps':
      return { status: 'failed', reason: 'It took all the steps that it may.' }
    case 'no-progress':
      return { status: 'failed', reason: 'It repeated itself and made no progress.' }
    case 'budget':
      return { status: 'budget', reason: 'The budget is used up.' }
    case 'approval':
      return { status: 'waiting' }
    case 'aborted':
      return { status: 'aborted', reason: 'It was stopped.' }
    case 'error':
      return { status: 'failed', reason: 'It failed.' }
  }
}
