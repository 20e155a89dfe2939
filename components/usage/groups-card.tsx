'use client'
import { useTranslations } from 'next-intl'
import { MAX_SERIES, type UsageMeasure, type UsageReport } from '#lib/contracts/usage'
import { COLORS } from '../chart/axis.ts'
import { cn } from '../cn.ts'
import { LongName } from '../long-name.tsx'
import { Money } from '../money.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { useFormat } from '../use-format.ts'
import { shareOf, sizeOf } from './report.ts'
import { useGroupName } from './use-usage.ts'

interface GroupsCardProps {
  report: UsageReport
  /** Filters the page by one of the groups. Null if it already is. */
  onPick: ((id: string) => void) | null
}

/** Columns that are hidden in small windows, unless they show the selected measure. */
const hiddenClassOf = (column: UsageMeasure, measure: UsageMeasure): string =>
  column === measure || column === 'money' ? '' : column === 'requests' ? 'max-sm:hidden' : 'max-md:hidden'

function Share({ share, color }: { share: number; color: string | undefined }) {
  const format = useFormat()
  return (
    <span className="flex items-center gap-2.5">
      <span aria-hidden className="h-1.5 w-full min-w-8 forced-color-adjust-none overflow-hidden rounded-full bg-line-soft">
        <span className="block h-full rounded-full" style={{ width: `${share * 100}%`, background: color }} />
      </span>
      <span className="figures w-12 shrink-0 text-right text-second">{format.nonZeroPercent(share)}</span>
    </span>
  )
}

interface FiguresProps {
  of: UsageReport['totals']
  measure: UsageMeasure
  /** Whether this is the line with the total. */
  isTotal?: boolean
}

/** The figures at the end of a line, in the order of the column heads. */
function FigureCells({ of, measure, isTotal = false }: FiguresProps) {
  const format = useFormat()
  const count = (value: number) => (value === 0 ? '–' : value < 1_000_000 ? format.count(value) : format.compact(value))
  const styles = isTotal ? 'border-t' : 'text-second'
  return (
    <>
      <Td figures className={cn(isTotal && 'border-t', hiddenClassOf('requests', measure))}>
        {count(of.requests)}
      </Td>
      <Td figures className={cn(styles, hiddenClassOf('errors', measure))}>
        {count(of.errors)}
      </Td>
      <Td figures className={cn(styles, hiddenClassOf('tokens', measure))}>
        {count(of.tokens)}
      </Td>
      <Td figures className={cn(isTotal && 'border-t')}>
        <Money nano={of.nano} />
      </Td>
    </>
  )
}

interface GroupNameProps {
  name: string
  color: string | undefined
  onPick: (() => void) | null
}

const GroupName = ({ name, color, onPick }: GroupNameProps) => (
  <span className="flex min-w-0 items-baseline gap-2">
    <span aria-hidden className="size-[9px] shrink-0 forced-color-adjust-none rounded-[2.5px]" style={{ background: color }} />
    {onPick === null ? (
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <LongName name={name} />
      </span>
    ) : (
      <button
        type="button"
        onClick={onPick}
        className="min-h-6 min-w-0 text-left hover:underline hover:underline-offset-4 [overflow-wrap:anywhere]"
      >
        <LongName name={name} />
      </button>
    )}
  </span>
)

/** The usage by group: all of the period, largest first, with its share of the total. */
export function GroupsCard({ report, onPick }: GroupsCardProps) {
  const t = useTranslations('usage')
  const nameOf = useGroupName()
  const { groups, totals, by, measure } = report
  const sum = sizeOf(totals, measure)
  return (
    <Card>
      <CardHeader title={t('groupsTitle', { by: t(`byWords.${by}`) })}>
        <span className="figures text-second">{t('groupCount', { count: groups.length })}</span>
      </CardHeader>
      <Table className="mt-1" frameLabel={t('groupsTitle', { by: t(`byWords.${by}`) })}>
        <thead>
          <tr>
            <Th>{t(`by.${by}`)}</Th>
            <Th className="w-[26%] max-sm:hidden">{t('share')}</Th>
            {(['requests', 'errors', 'tokens', 'money'] as const).map((column) => (
              <Th
                key={column}
                figures
                className={cn(hiddenClassOf(column, measure), column === measure && 'font-medium text-ink')}
              >
                {t(`measures.${column}`)}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, place) => {
            const color = COLORS[Math.min(place, MAX_SERIES)]
            return (
              <tr key={group.id} data-group={group.id}>
                <Td className="max-w-48 sm:max-w-none">
                  <GroupName name={nameOf(group, by)} color={color} onPick={onPick && (() => onPick(group.id))} />
                </Td>
                <Td className="max-sm:hidden">
                  <Share share={shareOf(sizeOf(group, measure), sum)} color={color} />
                </Td>
                <FigureCells of={group} measure={measure} />
              </tr>
            )
          })}
        </tbody>
        <tfoot className="font-medium">
          <tr>
            <Td className="border-t">{t('total')}</Td>
            <Td className="border-t max-sm:hidden" />
            <FigureCells of={totals} measure={measure} isTotal />
          </tr>
        </tfoot>
      </Table>
    </Card>
  )
}
