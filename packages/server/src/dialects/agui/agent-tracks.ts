import type { AgentEvent } from '@agentkit/core'
import { type AgentTrack, agentTrack, type Frame } from './agent-track.ts'

/** The agents of a run that have begun and not finished, by their paths. */
export class AgentTracks {
  readonly #tracks = new Map<string, AgentTrack>()
  readonly #nextNumber: () => number

  /** @param nextNumber makes the ids of subagents unique */
  constructor(nextNumber: () => number) {
    this.#nextNumber = nextNumber
  }

  /** The agent of an event; one that has not begun here begins. */
  of(event: AgentEvent, name: string = event.path.at(-1) ?? ''): AgentTrack {
    const key = event.path.slice(1).join('/')
    const known = this.#tracks.get(key)
    if (known) return known
    const above = event.path.length > 2 ? this.of({ ...event, path: event.path.slice(0, -1) }) : undefined
    const parent = above?.subagentRunId
    const subagentRunId = key === '' ? undefined : `${event.runId}/${key}/${this.#nextNumber()}`
    const track = agentTrack({ subagentRunId, name, ...(parent !== undefined && { parent }) })
    this.#tracks.set(key, track)
    return track
  }

  /** @param below the path of an agent, which finishes with all below it; all for the empty path */
  finish(below: string, outcome: Frame): Frame[] {
    const frames: Frame[] = []
    // The innermost first.
    for (const [key, track] of [...this.#tracks].reverse()) {
      if (key !== below && !key.startsWith(below === '' ? '' : `${below}/`)) continue
      frames.push(...track.finish(key === '' ? undefined : outcome))
      this.#tracks.delete(key)
    }
    return frames
  }
}
