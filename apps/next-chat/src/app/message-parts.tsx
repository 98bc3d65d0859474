import type { UIMessage } from 'ai'
import type { ReactNode } from 'react'

export type MessagePartsProps = {
  parts: UIMessage['parts']
  decide: (approvalId: string, approved: boolean) => void
}

/** Shows the texts of a message, and its calls of tools with their results. */
export function MessageParts({ parts, decide }: MessagePartsProps): ReactNode {
  return parts.map((part, index) => {
    const key = `${part.type}-${index}` // parts are only added
    if (part.type === 'text') return <p key={key}>{part.text}</p>
    if (part.type === 'reasoning') return <em key={key}>{part.text}</em>
    if (part.type !== 'dynamic-tool') return null
    return (
      <div key={key} data-tool={part.state}>
        <code>
          {part.toolName}({JSON.stringify(part.input)})
        </code>
        {part.state === 'approval-requested' && (
          <>
            <button type="button" onClick={() => decide(part.approval.id, true)}>
              Approve
            </button>
            <button type="button" onClick={() => decide(part.approval.id, false)}>
              Deny
            </button>
          </>
        )}
        {part.state === 'output-available' && <output> → {JSON.stringify(part.output)}</output>}
        {part.state === 'output-error' && <output> → {part.errorText}</output>}
        {part.state === 'output-denied' && <output> → denied</output>}
      </div>
    )
  })
}
