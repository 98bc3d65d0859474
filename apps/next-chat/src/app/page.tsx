'use client'

import type { UIMessage } from 'ai'
import { type ReactNode, useEffect, useState } from 'react'
import { Conversation } from './conversation.tsx'

type Saved = { id: string; messages: UIMessage[] }

/** Loads the conversation of this tab, which only the browser knows. */
export default function Page(): ReactNode {
  const [saved, setSaved] = useState<Saved>()
  useEffect(() => {
    const text = sessionStorage.getItem('chat')
    setSaved(text === null ? { id: crypto.randomUUID(), messages: [] } : (JSON.parse(text) as Saved)) // written below
  }, [])
  if (!saved) return null
  const save = (messages: UIMessage[]): void =>
    sessionStorage.setItem('chat', JSON.stringify({ id: saved.id, messages } satisfies Saved))
  return <Conversation {...saved} save={save} />
}
