import type { ReactNode } from 'react'
import { DocsFrame } from '#components/docs/docs-frame'
import { docsParts } from './docs.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  return <DocsFrame parts={await docsParts()}>{children}</DocsFrame>
}
