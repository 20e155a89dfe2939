'use client'
import { Check, Copy } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { cn } from '../cn.ts'
import { toast } from '../toast.ts'
import { Button } from './button.tsx'

interface CopyButtonProps {
  text: string
  /** What is copied, for those who do not see what it stands beside. */
  label: string
  /** Shown beside the sign; without it there is only the sign. */
  children?: string
  tone?: 'plain' | 'primary' | 'ghost'
  className?: string
}

/** Puts text on the clipboard and says so for a moment. */
export function CopyButton({ text, label, children, tone = 'ghost', className }: CopyButtonProps) {
  const t = useTranslations('common')
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  // Outside of https and localhost a browser has no clipboard; the text can still be selected by hand.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      toast.error(t('copyFailed'))
    }
  }
  const Sign = copied ? Check : Copy
  return (
    <Button
      tone={tone}
      size={children === undefined ? 'tiny' : 'normal'}
      aria-label={children === undefined ? t('copyNamed', { label }) : label}
      onClick={() => void copy()}
      className={className}
    >
      <Sign aria-hidden className={cn('size-3.5', copied && tone !== 'primary' && 'text-accent')} />
      {children !== undefined && (copied ? t('copied') : children)}
      <span aria-live="polite" className="sr-only">
        {copied ? t('copied') : ''}
      </span>
    </Button>
  )
}
