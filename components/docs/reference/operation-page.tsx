import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { SampleTabs } from '../../site/sample-tabs.tsx'
import { Card } from '../../ui/card.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Article } from '../article.tsx'
import { Heading } from '../heading.tsx'
import { Inline } from '../inline.tsx'
import { type ExampleValues, exampleOf } from './example.ts'
import { FieldList } from './field-list.tsx'
import type { Operation } from './operations.ts'
import type { Field } from './schema-walker.ts'

interface OperationPageProps {
  operation: Operation
  /** The origin of the API, without `/v1`. */
  origin: string
  words: ExampleValues
}

const Fields = ({ fields }: { fields: Field[] }) =>
  fields.length > 0 && (
    <Card className="py-1.5 sm:py-1.5">
      <FieldList fields={fields} />
    </Card>
  )

const ErrorList = ({ errors }: Pick<Operation, 'errors'>) => (
  <ul className="flex flex-col gap-1.5">
    {errors.map(({ status, codes }) => (
      <li key={status} className="flex gap-3">
        <Tag tone={status < '500' ? 'warn' : 'bad'} className="shrink-0 self-start">
          {status}
        </Tag>
        <span className="mono min-w-0 break-words pt-0.5">{codes.join(', ')}</span>
      </li>
    ))}
  </ul>
)

/** The page of an endpoint: how to call it, its parameters, its responses and its errors. */
export function OperationPage({ operation, origin, words }: OperationPageProps) {
  const t = useTranslations('docs.reference')
  const { method, path, summary, description, parameters, body, answers, errors } = operation
  const anchors = [
    { id: 'example', text: t('example'), there: true },
    { id: 'parameters', text: t('parameters'), there: parameters.length > 0 },
    { id: 'body', text: t('body'), there: body !== null },
    { id: 'answers', text: t('answers'), there: answers.length > 0 },
    { id: 'errors', text: t('errors'), there: errors.length > 0 },
  ].filter(({ there }) => there)
  return (
    <Article
      title={summary}
      lead={
        <span className="mono break-all text-base">
          <Tag tone="good">{method}</Tag> {path}
        </span>
      }
      anchors={anchors}
    >
      <div className="flex flex-col gap-4">
        {description !== null && (
          <p>
            <Inline text={description} />
          </p>
        )}
        <Heading id="example">{t('example')}</Heading>
        <SampleTabs label={t('example')} samples={[{ name: 'curl', code: exampleOf(operation, origin, words) }]} />
        {parameters.length > 0 && <Heading id="parameters">{t('parameters')}</Heading>}
        <Fields fields={parameters} />
        {body && (
          <>
            <Heading id="body">{t('body')}</Heading>
            <p className="mono text-second">{body.type}</p>
            <Fields fields={body.fields} />
          </>
        )}
        {answers.length > 0 && <Heading id="answers">{t('answers')}</Heading>}
        {answers.map((answer) => (
          <div key={`${answer.status} ${answer.type}`} className="flex flex-col gap-2">
            <p className="mono text-second">
              {answer.status} · {answer.type}
            </p>
            <Fields fields={answer.fields} />
          </div>
        ))}
        {errors.length > 0 && <Heading id="errors">{t('errors')}</Heading>}
        <ErrorList errors={errors} />
        <p>
          <Link href="/docs/errors#all" prefetch={false} className="text-accent underline underline-offset-2">
            {t('allErrors')}
          </Link>
        </p>
      </div>
    </Article>
  )
}
