'use client'
import { useTranslations } from 'next-intl'
import type { RequestDetail } from '#lib/contracts/requests'
import type { AttemptResult } from '#lib/domain/settlement'
import { enumerate } from '../enumerate.ts'
import { joinFacts } from '../join-facts.ts'
import { Dot, type Tone } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'

type Attempt = RequestDetail['attempts'][number]

/** Every result has a tone: a missing one does not compile. */
const tones: Record<AttemptResult, Tone> = {
  answered: 'good',
  unreachable: 'bad',
  timed_out: 'bad',
  limited: 'warn',
  refused: 'warn',
  failed: 'bad',
  broken: 'bad',
  misconfigured: 'bad',
  left: 'plain',
}
const barColors: Record<Tone, string> = { plain: 'bg-third', good: 'bg-accent', bad: 'bg-bad', warn: 'bg-warn' }

const isKnown = (result: string): result is AttemptResult => Object.hasOwn(tones, result)

/** The result of an attempt: `429 at its limit`. Text of older records is shown as it is. */
function useResultText(): (attempt: Attempt) => { tone: Tone; words: string } {
  const t = useTranslations('history')
  return ({ status, result }) => {
    const words = isKnown(result) ? t(`results.${result}`) : result
    return {
      tone: isKnown(result) ? tones[result] : 'bad',
      words: status === null || status === 200 ? words : `${status} ${words}`,
    }
  }
}

type RoutedRequest = Pick<RequestDetail, 'attempts' | 'endpoint' | 'tookMs' | 'ownMs'>

/**
 * The attempts, with the time that each took. The vendor of a video answers at once that it has begun: what it took is the rest
 * of the request's time, until the video was there or was given up.
 */
function timedAttempts({ attempts, endpoint, tookMs, ownMs }: RoutedRequest): Attempt[] {
  const last = attempts.at(-1)
  if (endpoint !== 'videos.generations' || last?.result !== 'answered') return attempts
  const earlierMs = attempts.slice(0, -1).reduce((sum, attempt) => sum + attempt.tookMs, 0)
  return [...attempts.slice(0, -1), { ...last, tookMs: Math.max(last.tookMs, tookMs - ownMs - earlierMs) }]
}

/** Attempts are sequential: each bar starts where the previous one ended. */
function Bar({ beforeMs, tookMs, totalMs, tone }: { beforeMs: number; tookMs: number; totalMs: number; tone: Tone }) {
  const percent = (ms: number) => `${(100 * ms) / Math.max(totalMs, 0.1)}%`
  return (
    <div aria-hidden className="mt-1 h-[5px] forced-color-adjust-none rounded-full bg-hover">
      <div
        className={`h-full min-w-[3px] rounded-full ${barColors[tone]}`}
        style={{ marginLeft: `min(${percent(beforeMs)}, calc(100% - 3px))`, width: percent(tookMs) }}
      />
    </div>
  )
}

/** The deployments that were tried, in order: which vendor and model, how the attempt ended, and how long it took. */
export function RequestRoute({ detail }: { detail: RoutedRequest }) {
  const t = useTranslations('history')
  const format = useFormat()
  const resultOf = useResultText()
  const attempts = timedAttempts(detail)
  if (attempts.length === 0) return null
  const totalMs = attempts.reduce((sum, { tookMs }) => sum + tookMs, 0)
  const beforeMs = (place: number) => attempts.slice(0, place).reduce((sum, { tookMs }) => sum + tookMs, 0)
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('route')}</h3>
      <ol>
        {enumerate(attempts).map(({ place, value: attempt }) => {
          const { tone, words } = resultOf(attempt)
          const details = joinFacts([attempt.model || attempt.deployment, attempt.detail])
          return (
            <li key={place} className="flex items-start gap-2 py-[3.5px]">
              <Dot tone={tone} className="mt-[6.5px]" />
              <div className="min-w-0 flex-1">
                {attempt.connection} <span className="ml-1 text-second">{words}</span>
                <span className="mono block text-second [overflow-wrap:anywhere]" title={attempt.deployment}>
                  {details}
                </span>
                {attempts.length > 1 && <Bar beforeMs={beforeMs(place)} tookMs={attempt.tookMs} totalMs={totalMs} tone={tone} />}
              </div>
              <span className="mono whitespace-nowrap">{format.duration(attempt.tookMs)}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
