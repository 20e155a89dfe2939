'use client'
import { Plug, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type ConnectionRow, connectionPage } from '#lib/contracts/operator-connections'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { notLoaded } from '../../not-loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { Td, Th } from '../../ui/table.tsx'
import { useFormat } from '../../use-format.ts'
import { ListPage } from '../list-page.tsx'
import { connectionPath } from '../paths.ts'
import { HealthTag, InactiveTag } from '../state-tags.tsx'
import { useList } from '../use-list.ts'
import { useMayChange } from '../use-may-change.ts'

const ConnectDialog = dynamic(() => import('./connect-dialog.tsx').then((module) => module.ConnectDialog).catch(notLoaded), {
  ssr: false,
})

function Row({ row }: { row: ConnectionRow }) {
  const format = useFormat()
  const kind = vendorKind(row.kind)?.label ?? row.kind
  return (
    <tr data-connection={row.name}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-60">
        <Link href={connectionPath(row.id)} className="block truncate font-medium hover:underline">
          {row.name}
        </Link>
        <span className="block truncate text-second text-sm md:hidden">{kind}</span>
      </Td>
      <Td className="text-second max-md:hidden">{kind}</Td>
      <Td className="max-w-72 truncate text-second max-lg:hidden">
        <span className="mono">{row.baseUrl ?? '–'}</span>
      </Td>
      <Td figures>{format.count(row.deployments)}</Td>
      <Td className="w-0 whitespace-nowrap">
        {row.archivedAt === null ? <HealthTag {...row} /> : <InactiveTag archivedAt={row.archivedAt} />}
      </Td>
    </tr>
  )
}

/** All connections to vendors, with a button to add one. */
export function ConnectionsPage() {
  const t = useTranslations('operator')
  const named = useTranslations('vendorFields')
  const mayChange = useMayChange()
  const list = useList('/api/operator/connections', connectionPage)
  const [open, setOpen] = useState(false)
  const create = mayChange && (
    <Button tone="primary" onClick={() => setOpen(true)}>
      <Plus aria-hidden className="size-4" />
      {t('connect')}
    </Button>
  )
  return (
    <>
      <ListPage
        title={t('connections')}
        lead={t('connectionsLead')}
        list={list}
        create={create}
        empty={{ icon: <Plug />, title: t('noConnections'), text: t('noConnectionsText') }}
        table={{
          head: (
            <>
              <Th>{t('fields.name')}</Th>
              <Th className="max-md:hidden">{t('fields.kind')}</Th>
              <Th className="max-lg:hidden">{named('baseUrl.label')}</Th>
              <Th figures>{t('runs')}</Th>
              <Th>{t('state')}</Th>
            </>
          ),
          row: (row) => <Row key={row.id} row={row} />,
        }}
      />
      {open && (
        <ConnectDialog
          onClose={() => {
            setOpen(false)
            list.reload()
          }}
        />
      )}
    </>
  )
}
