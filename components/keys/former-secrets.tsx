'use client'
import { useTranslations } from 'next-intl'
import { type KeyRow, keyResult } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'

/** The secrets from before rotations that are still valid, with an action that ends them. */
export function FormerSecrets({ row, onEnded }: { row: KeyRow; onEnded: (key: KeyRow) => void }) {
  const t = useTranslations('key')
  const format = useFormat()
  const errorText = useErrorText()
  const end = () =>
    sendJson('POST', `/api/keys/${encodeURIComponent(row.id)}/end-overlap`, keyResult).then(
      ({ key }) => {
        onEnded(key)
        toast.success(t('overlapEnded', { name: key.name }))
      },
      (error) => toast.error(errorText(error)),
    )
  if (row.former.length === 0) return null
  return (
    <Card>
      <CardHeader title={t('former')}>
        <Button size="small" onClick={() => void end()}>
          {t('endOverlap')}
        </Button>
      </CardHeader>
      <ul className="mt-1">
        {row.former.map(({ hint, expiresAt }) => (
          <li key={hint} className="flex justify-between gap-4 border-line-soft border-b py-2 last:border-b-0">
            <code className="mono">{hint}</code>
            <time dateTime={expiresAt} className="text-second">
              {t('formerUntil', { time: format.moment(expiresAt) })}
            </time>
          </li>
        ))}
      </ul>
    </Card>
  )
}
