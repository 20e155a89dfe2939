'use client'
import { Check } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { Overview } from '#lib/contracts/overview'
import { cn } from '../cn.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { useExample } from '../use-example.ts'

const order = ['signUp', 'credit', 'key', 'call', 'limit'] as const
type Step = (typeof order)[number]

/** The page of a step, if it is done on one. */
const stepUrls: Partial<Record<Step, string>> = { credit: '/billing', key: '/keys?new=key', limit: '/keys?new=limit' }

function StepLine({ step, done, waiting }: { step: Step; done: boolean; waiting: boolean }) {
  const t = useTranslations('overview.steps')
  const url = stepUrls[step]
  const name = t(step)
  return (
    <li className="flex items-center gap-2.5 py-[5px]">
      <span
        className={cn(
          'grid size-[17px] shrink-0 forced-color-adjust-none place-items-center rounded-full border transition-colors',
          done ? 'border-accent bg-accent' : waiting ? 'animate-wait border-accent' : 'border-third',
        )}
      >
        {done && <Check aria-hidden strokeWidth={3.5} className="size-2.5 text-on-accent" />}
      </span>
      <span className={cn('min-w-0', !done && !waiting && 'text-second')}>
        {url === undefined || done ? (
          name
        ) : (
          <Link href={url} className="underline decoration-third underline-offset-4 hover:decoration-ink">
            {name}
          </Link>
        )}
        {waiting && <span className="text-second"> · {t('waiting')}</span>}
        <span className="sr-only">{done ? t('done') : t('open')}</span>
      </span>
    </li>
  )
}

/** The steps to the first answer. It polls and checks them off by itself. */
export function Checklist({ data }: { data: Overview }) {
  const t = useTranslations('overview')
  const example = useExample()
  const done: Record<Step, boolean> = {
    signUp: true,
    credit: data.steps.credited,
    key: data.steps.key,
    call: data.steps.call,
    limit: data.steps.limit,
  }
  const count = order.filter((step) => done[step]).length
  const finished = count === order.length
  return (
    <Card className="flex flex-col">
      <CardHeader title={finished ? t('yourEndpoint') : t('getGoing')}>
        {!finished && <span className="figures text-second">{t('stepsDone', { done: count, all: order.length })}</span>}
      </CardHeader>
      {finished ? (
        <p className="mt-2 mb-3 text-second">{t('allDone')}</p>
      ) : (
        <ol aria-live="polite" className="mt-2 mb-3">
          {order.map((step) => (
            <StepLine
              key={step}
              step={step}
              done={done[step]}
              waiting={step === 'call' && !done.call && done.key && done.credit}
            />
          ))}
        </ol>
      )}
      <CodeBlock code={example} label={t('exampleCall')} className="mt-auto" />
    </Card>
  )
}
