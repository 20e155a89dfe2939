import { useTranslations } from 'next-intl'
import { CONDITION_TABLE } from '#lib/domain/errors'
import { enumerate } from '../enumerate.ts'
import { SampleTabs } from '../site/sample-tabs.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tag } from '../ui/tag.tsx'
import type { Block, Content } from './content/blocks.ts'
import { Heading } from './heading.tsx'
import { Inline } from './inline.tsx'
import { type SampleContext, sampleOf } from './samples.ts'

const cellStyles = 'h-auto py-2.5 align-top'
/** On phones a row becomes a short list, because there is no room for several columns of prose. */
const stackedStyles =
  'max-sm:block max-sm:[&_thead]:hidden max-sm:[&_tbody]:block max-sm:[&_tr]:block max-sm:[&_tr]:border-line-soft max-sm:[&_tr]:border-b max-sm:[&_tr]:py-2 max-sm:[&_td]:block max-sm:[&_td]:border-0 max-sm:[&_td]:px-0 max-sm:[&_td]:py-0.5'

interface RowsProps {
  label: string
  head: string[]
  rows: string[][]
}

const RowsTable = ({ label, head, rows }: RowsProps) => (
  <Table frameLabel={label} className={stackedStyles}>
    <thead>
      <tr>
        {head.map((name) => (
          <Th key={name}>
            <Inline text={name} />
          </Th>
        ))}
      </tr>
    </thead>
    <tbody>
      {enumerate(rows).map(({ place, value }) => (
        <tr key={place}>
          {enumerate(value).map((item) => (
            <Td key={item.place} className={cellStyles}>
              <Inline text={item.value} />
            </Td>
          ))}
        </tr>
      ))}
    </tbody>
  </Table>
)

/** Every condition of the API, with its meaning and what to do. Generated from the table in the code, so none can be missing. */
function Errors({ errors }: Pick<Content, 'errors'>) {
  const t = useTranslations('docs')
  return (
    <Table frameLabel={t('errors.all')} className={stackedStyles}>
      <thead>
        <tr>
          <Th>{t('errors.status')}</Th>
          <Th>{t('errors.code')}</Th>
          <Th>{t('errors.when')}</Th>
          <Th>{t('errors.todo')}</Th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(CONDITION_TABLE).map(([condition, { status, code }]) => (
          <tr key={condition} id={condition}>
            <Td figures className={`${cellStyles} text-left`}>
              <Tag tone={status < 500 ? 'warn' : 'bad'}>{status}</Tag>
            </Td>
            <Td className={`${cellStyles} mono`}>{code}</Td>
            <Td className={cellStyles}>
              <Inline text={errors[condition]?.when ?? ''} />
            </Td>
            <Td className={cellStyles}>
              <Inline text={errors[condition]?.todo ?? ''} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Outcomes({ outcomes }: Pick<Content, 'outcomes'>) {
  const t = useTranslations('docs')
  return (
    <RowsTable
      label={t('outcomes.all')}
      head={[t('outcomes.ended'), t('outcomes.charged'), t('outcomes.outcome')]}
      rows={outcomes}
    />
  )
}

function BlockView({ block, content, context }: { block: Block; content: Content; context: SampleContext }) {
  switch (block.kind) {
    case 'text':
      return (
        <p>
          <Inline text={block.text} />
        </p>
      )
    case 'heading':
      return <Heading id={block.id}>{block.text}</Heading>
    case 'list':
      return (
        <ul className="flex list-disc flex-col gap-1.5 pl-5 marker:text-third">
          {block.items.map((item) => (
            <li key={item}>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      )
    case 'table':
      return <RowsTable {...block} />
    case 'sample':
      return <SampleTabs label={block.label} samples={sampleOf(block.name, context)} />
    case 'errors':
      return <Errors errors={content.errors} />
    case 'outcomes':
      return <Outcomes outcomes={content.outcomes} />
  }
}

interface PageBlocksProps {
  blocks: readonly Block[]
  content: Content
  context: SampleContext
}

/** The content of a documentation page. */
export const PageBlocks = ({ blocks, ...rest }: PageBlocksProps) => (
  <div className="flex flex-col gap-4 leading-[1.45rem]">
    {enumerate(blocks).map(({ place, value }) => (
      <BlockView key={place} block={value} {...rest} />
    ))}
  </div>
)
