import { redirect } from 'next/navigation'

/** Leads to the first page of the documentation. */
export default function Page() {
  redirect('/docs/quickstart')
}
