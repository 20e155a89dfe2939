'use client'
import { Users } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type AccountRow, accountPage, accountState } from '#lib/contracts/operator-accounts'
import { role as roleShape } from '#lib/contracts/session'
import { Balance } from '../balance.tsx'
import { maskApiKey } from '../mask-api-key.ts'
import { Money } from '../money.tsx'
import { ListPage } from '../operator/list-page.tsx'
import { accountPath } from '../operator/paths.ts'
import { useList } from '../operator/use-list.ts'
import { NativeSelect } from '../ui/native-select.tsx'
import { Td, Th } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useFormat } from '../use-format.ts'
import { StateTag } from './state-tag.tsx'

/** One account of the list. */
export function AccountListRow({ row }: { row: AccountRow }) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  return (
    <tr data-account={row.email}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-72">
        <span className="flex min-w-0 items-center gap-2">
          <Link href={accountPath(row.id)} className="truncate font-medium hover:underline">
            {row.name}
          </Link>
          {row.role !== 'holder' && <Tag className="max-sm:hidden">{t(`roles.${row.role}`)}</Tag>}
        </span>
        <span className="block truncate text-second text-sm lg:hidden">{row.email}</span>
      </Td>
      <Td className="max-w-72 truncate text-second max-lg:hidden">{row.email}</Td>
      <Td figures>
        <Balance nano={row.balanceNano} softClassName="max-sm:hidden" />
      </Td>
      <Td figures className="max-md:hidden">
        <Money nano={row.spentMonthNano} />
      </Td>
      <Td className="w-0 whitespace-nowrap">
        <StateTag state={row.state} />
      </Td>
      <Td figures className="text-second max-md:hidden">
        <time dateTime={row.createdAt}>{format.date(row.createdAt)}</time>
      </Td>
    </tr>
  )
}

/** All accounts, with search and filters by state and role, their balances and their spending this month. */
export function AccountsPage() {
  const t = useTranslations('operatorAccounts')
  const params = useSearchParams()
  const state = accountState.safeParse(params.get('state')).data ?? null
  const role = roleShape.safeParse(params.get('role')).data ?? null
  const list = useList('/api/operator/accounts', accountPage, { filters: { state, role }, normalize: maskApiKey })
  const choice = <Name extends string>(names: readonly Name[], words: (name: Name) => string) => [
    { value: '', label: t('any') },
    ...names.map((name) => ({ value: name, label: words(name) })),
  ]
  return (
    <ListPage
      title={t('title')}
      lead={t('lead')}
      list={list}
      create={null}
      searchLabel={t('search')}
      filters={
        <>
          <NativeSelect
            label={t('state')}
            value={state ?? ''}
            onChange={(next) => updateSearchParams({ state: next })}
            options={choice(accountState.options, (name) => t(`states.${name}`))}
          />
          <NativeSelect
            label={t('role')}
            value={role ?? ''}
            onChange={(next) => updateSearchParams({ role: next })}
            options={choice(roleShape.options, (name) => t(`roles.${name}`))}
          />
        </>
      }
      noneText={t('noneText')}
      empty={{ icon: <Users />, title: t('empty'), text: t('emptyText') }}
      table={{
        head: (
          <>
            <Th>{t('name')}</Th>
            <Th className="max-lg:hidden">{t('email')}</Th>
            <Th figures>{t('balance')}</Th>
            <Th figures className="max-md:hidden">
              {t('spentMonth')}
            </Th>
            <Th>{t('state')}</Th>
            <Th figures className="max-md:hidden">
              {t('created')}
            </Th>
          </>
        ),
        row: (row) => <AccountListRow key={row.id} row={row} />,
      }}
    />
  )
}
