'use client'
import { FlaskConical, OctagonAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'
import { useMe } from '../use-me.ts'

const Notice = ({ tone, icon, children }: { tone: 'warn' | 'bad'; icon: ReactNode; children: ReactNode }) => (
  <div
    role="status"
    className={cn(
      'flex gap-2.5 border-b px-4 py-2 text-sm sm:px-7 [&_svg]:mt-px [&_svg]:size-4 [&_svg]:shrink-0',
      tone === 'bad' ? 'bg-bad-tint [&_svg]:text-bad' : 'bg-warn-tint [&_svg]:text-warn',
    )}
  >
    {icon}
    <p className="min-w-0">{children}</p>
  </div>
)

const code = (chunks: ReactNode) => <code className="mono whitespace-nowrap">{chunks}</code>

/** What holds for the whole account: that it is suspended, or that answers are a simulation. */
export function Notices() {
  const t = useTranslations('shell')
  const me = useMe()
  if (me === undefined) return null
  return (
    <>
      {me.suspended && (
        <Notice tone="bad" icon={<OctagonAlert aria-hidden />}>
          {t('suspended')}
        </Notice>
      )}
      {me.sandboxOnly && (
        <Notice tone="warn" icon={<FlaskConical aria-hidden />}>
          {t.rich('sandbox', { code })}
        </Notice>
      )}
    </>
  )
}
