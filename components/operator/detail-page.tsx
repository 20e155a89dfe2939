'use client'
import type { ReactNode } from 'react'
import { LoadFailed } from '../load-failed.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { BackLink } from '../ui/back-link.tsx'
import { Card } from '../ui/card.tsx'
import { RowsSkeleton } from '../ui/rows-skeleton.tsx'
import { pageFrameStyles } from './list-page.tsx'

interface DetailPageProps {
  title: string
  /** The list that the record belongs to. */
  back: { path: string; name: string }
  actions?: ReactNode
  aside?: ReactNode
  loaded: boolean
  error: unknown
  onRetry: () => void
  children: ReactNode
}

/** A detail page, with a link back to its list. */
export function DetailPage({ title, back, actions, aside, loaded, error, onRetry, children }: DetailPageProps) {
  return (
    <>
      <PageHeader title={title} aside={aside}>
        {actions}
      </PageHeader>
      <div className={pageFrameStyles}>
        <BackLink href={back.path} name={back.name} />
        <div className="mt-3 flex flex-col gap-5">
          {loaded ? (
            children
          ) : (
            <Card>{error === undefined ? <RowsSkeleton /> : <LoadFailed error={error} onRetry={onRetry} />}</Card>
          )}
        </div>
      </div>
    </>
  )
}
