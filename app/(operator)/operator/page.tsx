import { redirect } from 'next/navigation'
import type { SearchParams } from '../../search-params.ts'
import { requireOperator } from '../require-operator.ts'

/** Leads to the first page of the operators. */
export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator', searchParams)
  redirect('/operator/traffic')
}
