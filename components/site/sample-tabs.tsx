import { useTranslations } from 'next-intl'
import { cn } from '../cn.ts'
import { Code } from '../ui/code.tsx'
import { CodeTabs } from './code-tabs.tsx'
import type { Sample } from './samples.ts'

interface SampleTabsProps {
  /** What the sample shows. */
  label: string
  samples: Sample[]
  className?: string
}

/** A sample in several languages, with syntax highlighting from the server. */
export function SampleTabs({ label, samples, className }: SampleTabsProps) {
  const t = useTranslations('common')
  return (
    <CodeTabs
      label={label}
      texts={{ copied: t('copied'), failed: t('copyFailed') }}
      tabs={samples.map((sample) => ({
        ...sample,
        copyLabel: t('copyNamed', { label: `${label}, ${sample.name}` }),
        shown: <Code code={sample.code} coloured className="max-h-[30rem]" />,
      }))}
      className={cn('min-w-0 rounded-lg border bg-panel shadow-lift', className)}
    />
  )
}
