'use client'
import { CircleCheck, CircleX, Clock, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'
import { Button } from '../ui/button.tsx'

const variants = {
  wait: { Icon: Clock, styles: 'bg-panel [&>svg]:text-second' },
  good: { Icon: CircleCheck, styles: 'border-accent bg-tint [&>svg]:text-accent' },
  bad: { Icon: CircleX, styles: 'border-bad bg-bad-tint [&>svg]:text-bad' },
}

interface ReturnBannerProps {
  variant: keyof typeof variants
  onDismiss: () => void
  children: ReactNode
}

/** Tells readers who return from Stripe's page, at the top of the page, what became of it. */
export function ReturnBanner({ variant, onDismiss, children }: ReturnBannerProps) {
  const t = useTranslations('billing.watch')
  const { Icon, styles } = variants[variant]
  return (
    <div role="status" className={cn('flex items-center gap-3 rounded-lg border px-4 py-3', styles)}>
      <Icon aria-hidden className="size-[18px] shrink-0" />
      <p className="min-w-0 flex-1">{children}</p>
      <Button tone="ghost" size="tiny" aria-label={t('dismiss')} onClick={onDismiss}>
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
