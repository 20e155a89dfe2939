'use client'
import { MessageSquareText } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const EXAMPLES = ['explain', 'extract', 'write'] as const

/** Shown while the conversation is empty. `onChoose` is null until the chat has loaded. */
export function ChatEmpty({ onChoose }: { onChoose: ((text: string) => void) | null }) {
  const t = useTranslations('playground')
  return (
    <EmptyState icon={<MessageSquareText />} title={t('emptyTitle')} text={t('emptyText')}>
      <ul className="grid w-full gap-2 sm:grid-cols-3">
        {EXAMPLES.map((name) => (
          <li key={name}>
            <button
              type="button"
              aria-disabled={onChoose === null}
              onClick={() => onChoose?.(t(`examples.${name}`))}
              className="h-full w-full rounded-md border bg-panel px-3 py-2.5 text-left text-sm shadow-lift transition-colors hover:bg-hover"
            >
              {t(`examples.${name}`)}
            </button>
          </li>
        ))}
      </ul>
    </EmptyState>
  )
}

/** An empty chat, shown until its scripts have loaded. */
export const ChatSkeleton = () => (
  <div className="grid min-w-0 flex-1 content-start items-start gap-4 lg:grid-cols-[minmax(0,1fr)_296px]">
    <Skeleton className="h-9 rounded-md lg:hidden" />
    <div className="flex min-w-0 flex-col gap-4">
      <ChatEmpty onChoose={null} />
      <div />
      <Skeleton className="h-24 w-full rounded-lg" />
    </div>
    <Skeleton className="hidden h-[480px] rounded-lg lg:block" />
  </div>
)
