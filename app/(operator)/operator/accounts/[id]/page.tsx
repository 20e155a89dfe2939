import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { AccountPage } from '#components/operator-accounts/account-page'
import type { SearchParams } from '../../../../search-params.ts'
import { requireOperator } from '../../../require-operator.ts'

interface Props {
  params: Promise<{ id: string }>
  searchParams: SearchParams
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operatorAccounts')
  return { title: t('account') }
}

export default async function Page({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id)
  await requireOperator(`/operator/accounts/${encodeURIComponent(id)}`, searchParams)
  return <AccountPage id={id} />
}
