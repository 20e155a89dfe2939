'use client'
import { ChartColumn } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useExample } from '../use-example.ts'

/** Shown before the first usage, with the steps to it. */
export function NoUsage() {
  const t = useTranslations('usage')
  const example = useExample()
  return (
    <Card>
      <EmptyState icon={<ChartColumn />} title={t('emptyTitle')} text={t('emptyText')}>
        <CodeBlock code={example} label={t('emptyCall')} className="w-full text-left" />
      </EmptyState>
    </Card>
  )
}
