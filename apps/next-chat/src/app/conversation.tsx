import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { type ReactNode, useEffect, useState } from 'react'
import { MessageParts } from './message-parts.tsx'

export type ConversationProps = { id: string; messages: UIMessage[]; save: (messages: UIMessage[]) => void }

export function Conversation({ id, messages: saved, save }: ConversationProps): ReactNode {
  const [question, setQuestion] = useState('')
  const { messages, status, error, sendMessage, regenerate, stop, addToolApprovalResponse } = useChat({
    id, // the session of the agent
    messages: saved,
    resume: true, // continues the answer that was running when the page was reloaded
    transport: new DefaultChatTransport({ api: '/ui/chat', body: { resumable: true } }), // the run outlives the page
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const isRunning = status === 'submitted' || status === 'streaming'

  /** Ends the run, which outlives its page, and leaves its stream, which may not have begun. */
  async function end(): Promise<void> {
    await Promise.all([fetch(`/ui/chat/${id}/stop`, { method: 'POST' }), stop()])
  }

  useEffect(() => {
    // An answer that is not complete is not kept: after a reload, the server sends it from its start.
    const isPartial = isRunning && messages.at(-1)?.role === 'assistant'
    save(isPartial ? messages.slice(0, -1) : messages)
  }, [messages, isRunning, save])

  return (
    <main data-status={status}>
      {messages.map(({ id: messageId, role, parts }) => (
        <section key={messageId} id={messageId} data-role={role}>
          <strong>{role === 'user' ? 'You' : 'Agent'}</strong>
          <MessageParts
            parts={parts}
            decide={(approvalId, approved) => addToolApprovalResponse({ id: approvalId, approved })}
          />
        </section>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text: question })
          setQuestion('')
        }}
      >
        <input
          aria-label="Question"
          placeholder="Pay invoice 17: 250 euros"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button type="submit" disabled={isRunning || question.trim() === ''}>
          Send
        </button>
        <button type="button" disabled={!isRunning} onClick={() => void end()}>
          Stop
        </button>
        <button type="button" disabled={isRunning || messages.length === 0} onClick={() => void regenerate()}>
          Regenerate
        </button>
      </form>
    </main>
  )
}
