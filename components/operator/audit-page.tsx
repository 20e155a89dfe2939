'use client'
import { ScrollText } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type AuditRow, auditPage } from '#lib/contracts/operator-groups'
import { PagedTable } from '../paged.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Td, Th } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'
import { usePages } from '../use-pages.ts'
import { pageFrameStyles } from './list-page.tsx'
import { accountPath, connectionPath, groupPath, operatorModelPath } from './paths.ts'

const truncated = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** The changed fields with their old and new values, which the reader can expand. */
function Changes({ row }: { row: AuditRow }) {
  const t = useTranslations('operator')
  const before = (row.before ?? {}) as Record<string, unknown>
  const after = Object.entries((row.after ?? {}) as Record<string, unknown>)
  return (
    <details>
      <summary className="cursor-pointer text-second">{t('fieldsCount', { count: after.length })}</summary>
      <dl className="mt-1 flex flex-col gap-1 text-sm">
        {after.map(([name, value]) => (
          <div key={name} className="break-all">
            <dt className="inline text-second">{name}: </dt>
            <dd className="mono inline">
              {row.before !== null && name in before && <s className="text-second">{truncated(before[name])}</s>}{' '}
              {truncated(value)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** The page of the changed record. Null if it has no page. */
function pathOf({ target, targetId, modelId }: AuditRow): string | null {
  if (modelId !== null) return operatorModelPath(modelId)
  const paths: Record<string, string> = {
    account: accountPath(targetId),
    connection: connectionPath(targetId),
    group: groupPath(targetId),
    model: operatorModelPath(targetId),
    setting: '/operator/settings',
    codes: '/operator/codes',
    alert_rule: '/operator/alerts',
    alert_webhook: '/operator/alerts',
  }
  return paths[target] ?? null
}

/** The name of the changed record, and its id if that differs. */
function Target({ row }: { row: AuditRow }) {
  const path = pathOf(row)
  const name = row.name ?? row.modelId ?? row.targetId
  return (
    <span className="flex flex-wrap gap-x-2 break-all text-sm">
      {path === null ? (
        name
      ) : (
        <Link href={path} className="underline decoration-third underline-offset-4 hover:decoration-ink">
          {name}
        </Link>
      )}
      {name !== row.targetId && <span className="mono text-second">{row.targetId}</span>}
    </span>
  )
}

function Row({ row }: { row: AuditRow }) {
  const format = useFormat()
  return (
    <tr data-audit={row.id}>
      <Td className="w-px whitespace-nowrap pr-2 align-top text-second">
        <time dateTime={row.at}>{format.moment(row.at)}</time>
      </Td>
      <Td className="align-top">
        <span className="mono">{row.verb}</span>
        <Target row={row} />
        <span className="block break-all text-second text-sm sm:hidden">{row.actor}</span>
        <div className="mt-1 text-sm md:hidden">
          <Changes row={row} />
        </div>
      </Td>
      <Td className="break-all align-top text-second max-sm:hidden">{row.actor}</Td>
      <Td className="align-top max-md:hidden">
        <Changes row={row} />
      </Td>
    </tr>
  )
}

/** The operators' actions, newest first. */
export function AuditPage() {
  const t = useTranslations('operator')
  const pages = usePages('/api/operator/audit?limit=50', auditPage, { refreshMs: 30_000 })
  return (
    <>
      <PageHeader title={t('audit')} />
      <div className={pageFrameStyles}>
        <p className="mb-4 max-w-prose text-second">{t('auditLead')}</p>
        <Card className="py-2 sm:py-2">
          <PagedTable
            pages={pages}
            label={t('audit')}
            hasNoControls
            empty={<EmptyState icon={<ScrollText />} title={t('noAudit')} text={t('noAuditText')} />}
            head={
              <>
                <Th>{t('at')}</Th>
                <Th>{t('what')}</Th>
                <Th className="max-sm:hidden">{t('who')}</Th>
                <Th className="max-md:hidden">{t('difference')}</Th>
              </>
            }
            row={(row) => <Row key={row.id} row={row} />}
          />
        </Card>
      </div>
    </>
  )
}
