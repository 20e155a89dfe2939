'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { z } from 'zod'
import { type SessionRow, sessionList } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { LoadFailed } from '../load-failed.tsx'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'

const PATH = '/api/settings/sessions'
/** Times of use are accurate to the minute, so anything more recent counts as now. */
const ACTIVE_NOW_MS = 120_000

function SessionLine({ row, onEnd }: { row: SessionRow; onEnd: () => void }) {
  const t = useTranslations('security.sessions')
  const format = useFormat()
  const { browser, system } = row
  const device = browser && system ? t('on', { browser, system }) : browser || system || t('unknown')
  const lastSeen = Date.now() - Date.parse(row.lastSeenAt) < ACTIVE_NOW_MS ? t('now') : format.ago(row.lastSeenAt)
  return (
    <tr data-session={row.id}>
      <Td className="w-full max-w-0 sm:w-auto sm:max-w-64">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-medium">{device}</span>
          {row.current && <Tag tone="good">{t('here')}</Tag>}
        </span>
        <span className="mono block truncate text-second sm:hidden">{row.address}</span>
        <span className="block text-second text-sm sm:hidden">{lastSeen}</span>
      </Td>
      <Td className="mono text-second max-sm:hidden">{row.address}</Td>
      <Td className="whitespace-nowrap text-second max-sm:hidden">{lastSeen}</Td>
      <Td className="whitespace-nowrap text-second max-md:hidden">
        <time dateTime={row.createdAt}>{format.moment(row.createdAt)}</time>
      </Td>
      <Td className="w-px text-right">
        {!row.current && (
          <Button size="small" aria-label={t('endNamed', { device, address: row.address })} onClick={onEnd}>
            {t('end')}
          </Button>
        )}
      </Td>
    </tr>
  )
}

const ended = z.object({ ended: z.number() })

/** The sessions of the reader, which they can end. */
export function SessionsCard() {
  const t = useTranslations('security.sessions')
  const errorText = useErrorText()
  const { data, error, mutate } = useApi(PATH, sessionList, { refreshInterval: 30_000 })
  const [asking, setAsking] = useState(false)
  const attempt = async (task: () => Promise<string>) => {
    try {
      toast.success(await task())
    } catch (failure) {
      toast.error(errorText(failure))
    }
    await mutate()
  }
  const end = (id: string) =>
    attempt(async () => {
      await sendJson('DELETE', `${PATH}/${id}`, z.unknown())
      return t('ended')
    })
  const endOthers = () =>
    attempt(async () => t('endedOthers', { count: (await sendJson('POST', `${PATH}/end-others`, ended)).ended }))
  return (
    <Card>
      <CardHeader title={t('title')}>
        {data !== undefined && data.rows.length > 1 && (
          <Button size="small" onClick={() => setAsking(true)}>
            {t('endOthers')}
          </Button>
        )}
      </CardHeader>
      <p className="mt-1 text-second">{t('text')}</p>
      {data === undefined && error !== undefined && <LoadFailed error={error} onRetry={() => void mutate()} />}
      {data === undefined && error === undefined && <Skeleton className="mt-3 h-[74px] w-full" />}
      {data !== undefined && (
        <Table className="mt-1" frameLabel={t('title')}>
          <thead>
            <tr>
              <Th>{t('device')}</Th>
              <Th className="max-sm:hidden">{t('address')}</Th>
              <Th className="max-sm:hidden">{t('seen')}</Th>
              <Th className="max-md:hidden">{t('signedIn')}</Th>
              <Th>
                <span className="sr-only">{t('end')}</span>
              </Th>
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <SessionLine key={row.id} row={row} onEnd={() => void end(row.id)} />
            ))}
          </tbody>
        </Table>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('confirmOthers')}
        description={t('confirmOthersText')}
        action={t('endOthers')}
        onConfirm={() => void endOthers()}
      />
    </Card>
  )
}
