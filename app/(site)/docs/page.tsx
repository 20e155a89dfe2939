import { redirect } from 'next/navigation'

/** The documentation begins with its first page. */
export default function Page() {
  redirect('/docs/quickstart')
}
