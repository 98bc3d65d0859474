import type { Metadata } from 'next'
import type { ReactNode } from 'react'

export const metadata: Metadata = { title: 'An agent in Next.js' }

export default function Layout({ children }: { children: ReactNode }): ReactNode {
  return (
    <html lang="en">
      <body style={{ fontFamily: 'system-ui', margin: '2rem auto', maxWidth: '40rem' }}>{children}</body>
    </html>
  )
}
