import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { Card } from '../../ui/card.tsx'
import { Article } from '../article.tsx'
import { Endpoint } from '../endpoint.tsx'
import type { Operation } from './operations.ts'

/** All endpoints, each with a link to its page. */
export function ReferenceIndex({ operations }: { operations: readonly Operation[] }) {
  const t = useTranslations('docs.reference')
  return (
    <Article
      title={t('title')}
      lead={t.rich('leadLink', {
        link: (words) => (
          <a href="/openapi.json" className="text-accent underline underline-offset-2">
            {words}
          </a>
        ),
      })}
      anchors={[]}
    >
      <Card className="py-1.5 sm:py-1.5">
        <ul>
          {operations.map(({ id, method, path, summary }) => (
            <li key={id} className="border-line-soft border-b last:border-b-0">
              <Link
                href={`/docs/api/${id}`}
                prefetch={false}
                className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5 hover:underline"
              >
                <Endpoint method={method} path={path} className="w-72 max-w-full" />
                <span className="min-w-0 flex-1 basis-60 text-second">{summary}</span>
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Article>
  )
}
