'use client'
import { Layers, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type OperatorGroupRow, operatorGroupPage } from '#lib/contracts/operator-groups'
import { formatFactor } from '#lib/domain/format-money'
import { notLoaded } from '../../not-loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { Td, Th } from '../../ui/table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useFormat } from '../../use-format.ts'
import { useStoredText } from '../../use-stored-text.ts'
import { ListPage } from '../list-page.tsx'
import { groupPath } from '../paths.ts'
import { InactiveTag } from '../state-tags.tsx'
import { useList } from '../use-list.ts'
import { useMayChange } from '../use-may-change.ts'

const NewGroupDialog = dynamic(() => import('./new-group-dialog.tsx').then((module) => module.NewGroupDialog).catch(notLoaded), {
  ssr: false,
})

function Row({ row }: { row: OperatorGroupRow }) {
  const t = useTranslations('operator')
  const storedText = useStoredText()
  const format = useFormat()
  return (
    <tr data-group={row.name}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-96">
        <Link href={groupPath(row.id)} className="block truncate font-medium hover:underline">
          {row.name}
        </Link>
        <span className="block truncate text-second text-sm">{storedText(row.description)}</span>
      </Td>
      <Td figures>{t('factor', { factor: formatFactor(row.multiplierBp) })}</Td>
      <Td figures>{format.count(row.models)}</Td>
      <Td className="w-0 whitespace-nowrap max-sm:hidden">
        <span className="inline-flex gap-1.5">
          {row.isDefault && <Tag tone="good">{t('default')}</Tag>}
          {!row.open && <Tag>{t('named')}</Tag>}
          <InactiveTag archivedAt={row.archivedAt} />
        </span>
      </Td>
    </tr>
  )
}

/** All model groups. */
export function GroupsPage() {
  const t = useTranslations('operator')
  const router = useRouter()
  const mayChange = useMayChange()
  const list = useList('/api/operator/groups', operatorGroupPage)
  const [open, setOpen] = useState(false)
  const create = mayChange && (
    <Button tone="primary" onClick={() => setOpen(true)}>
      <Plus aria-hidden className="size-4" />
      {t('newGroup')}
    </Button>
  )
  return (
    <>
      <ListPage
        title={t('groups')}
        lead={t('groupsLead')}
        list={list}
        create={create}
        empty={{ icon: <Layers />, title: t('noGroups'), text: t('groupsLead') }}
        table={{
          head: (
            <>
              <Th>{t('fields.name')}</Th>
              <Th figures>{t('fields.multiplier')}</Th>
              <Th figures>{t('groupModels')}</Th>
              <Th className="max-sm:hidden">{t('state')}</Th>
            </>
          ),
          row: (row) => <Row key={row.id} row={row} />,
        }}
      />
      {open && <NewGroupDialog onClose={() => setOpen(false)} onCreated={(id) => router.push(groupPath(id))} />}
    </>
  )
}
