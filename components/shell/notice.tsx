import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

const tones = {
  plain: 'bg-hover [&_svg]:text-second',
  warn: 'bg-warn-tint [&_svg]:text-warn',
  bad: 'bg-bad-tint [&_svg]:text-bad',
}

interface NoticeProps {
  tone: keyof typeof tones
  icon: ReactNode
  /** What can be done about it, shown after the text. */
  action?: ReactNode
  children: ReactNode
}

/** The tags in the texts of notices: names of settings, and parts that are hidden on phones. */
export const noticeTags = {
  code: (chunks: ReactNode) => <code className="mono whitespace-nowrap">{chunks}</code>,
  more: (chunks: ReactNode) => <span className="max-sm:hidden">{chunks}</span>,
}

/** A line below the page's header. */
export const Notice = ({ tone, icon, action, children }: NoticeProps) => (
  <div
    role="status"
    className={cn('flex gap-2.5 border-b px-4 py-2 text-sm sm:px-7 [&_svg]:mt-px [&_svg]:size-4 [&_svg]:shrink-0', tones[tone])}
  >
    {icon}
    <p className="min-w-0">
      {children}
      {action !== undefined && <> {action}</>}
    </p>
  </div>
)
