'use client'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { requestPage } from '#lib/contracts/requests'
import { RequestsTable } from '../history/requests-table.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { accountApi } from '../operator/paths.ts'
import { Paged } from '../paged.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { usePages } from '../use-pages.ts'

const RequestSheet = dynamic(() => import('./request-sheet.tsx').then((module) => module.RequestSheet).catch(notLoaded), {
  ssr: false,
})

/** The newest requests of an account. An opened one shows its receipt and its attempts, but never its messages. */
export function RequestsCard({ accountId }: { accountId: string }) {
  const t = useTranslations('operatorAccounts')
  const opened = useSearchParams().get('id')
  const path = `${accountApi(accountId, '/requests')}?limit=20`
  const pages = usePages(path, requestPage, { refreshMs: 15_000 })
  return (
    <Card>
      <CardHeader title={t('requests')} />
      <p className="mt-0.5 text-second">{t('requestsText')}</p>
      <Paged pages={pages} empty={<p className="mt-3 text-second">{t('noRequests')}</p>}>
        {(rows) => (
          <RequestsTable rows={rows} openId={opened} onOpen={(id) => updateSearchParams({ id }, 'push')} narrow={false} />
        )}
      </Paged>
      {opened !== null && (
        <RequestSheet accountId={accountId} requestId={opened} onClose={() => updateSearchParams({ id: null })} />
      )}
    </Card>
  )
}
